import { useEffect, useLayoutEffect, useState } from 'react';
import { track } from './analytics/analytics.ts';
import { Dashboard } from './dashboard/Dashboard.tsx';
import { NotFoundPage } from './layout/NotFoundPage.tsx';
import { LoginPage } from './login/LoginPage.tsx';
import { usePath } from './routing/location.ts';
import { SCREEN_PATHS, screenFor } from './routing/routeGuard.ts';
import { useShown } from './usePage.ts';

export function App() {
  const shown = useShown((all) => all);
  const { path, replacePath } = usePath();
  const screen = screenFor(path, shown.kind);

  const [firstNumber] = useState(shown.screenNumber);
  const isFirst = shown.screenNumber === firstNumber;

  useLayoutEffect(() => replacePath(SCREEN_PATHS[screen] ?? path), [replacePath, screen, path]);

  useEffect(() => track('page_view', screen), [screen]);

  if (screen === 'notFound') return <NotFoundPage />;
  if (shown.kind === 'signedOut') return <LoginPage isFirst={isFirst} />;
  // `key`: a dashboard must not inherit what another account's components keep, nor an ended session's.
  return <Dashboard key={shown.screenNumber} shown={shown} isFirst={isFirst} />;
}

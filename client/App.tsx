import { useEffect, useLayoutEffect, useState } from 'react';
import { track } from './analytics/analytics.ts';
import { Dashboard } from './dashboard/Dashboard.tsx';
import { NotFoundPage } from './layout/NotFoundPage.tsx';
import { LoginPage } from './login/LoginPage.tsx';
import { usePath } from './routing/location.ts';
import { SCREEN_PATHS, screenFor } from './routing/routeGuard.ts';
import { usePageState } from './usePage.ts';

export function App() {
  const state = usePageState();
  const { path, replacePath } = usePath();
  const screen = screenFor(path, state.kind);

  const arrival = state.kind === 'signedIn' ? state.dashboard.number : state.sessionNumber;
  const [firstArrival] = useState(arrival);
  const isFirst = arrival === firstArrival;

  useLayoutEffect(() => replacePath(SCREEN_PATHS[screen] ?? path), [replacePath, screen, path]);

  useEffect(() => track('page_view', screen), [screen]);

  if (screen === 'notFound') return <NotFoundPage />;
  if (state.kind === 'signedOut') return <LoginPage isFirst={isFirst} />;
  // `key`: a dashboard must not inherit what another account's components keep, nor an ended session's.
  return <Dashboard key={state.dashboard.number} state={state} isFirst={isFirst} />;
}

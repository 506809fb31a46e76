import { useCallback, useEffect, useLayoutEffect, useState } from 'react';
import { track } from './analytics/analytics.ts';
import { Dashboard } from './dashboard/Dashboard.tsx';
import { NotFoundPage } from './layout/MessagePages.tsx';
import { LoginPage } from './login/LoginPage.tsx';
import { SCREEN_PATHS, screenFor } from './routeGuard.ts';
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

function usePath() {
  const [path, setPath] = useState(window.location.pathname);

  useEffect(() => {
    const follow = () => setPath(window.location.pathname);
    window.addEventListener('popstate', follow);
    return () => window.removeEventListener('popstate', follow);
  }, []);

  const replacePath = useCallback((next: string) => {
    if (next !== window.location.pathname) window.history.replaceState(null, '', next);
    setPath(next);
  }, []);

  return { path, replacePath };
}

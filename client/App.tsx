import { useEffect, useLayoutEffect, useSyncExternalStore } from 'react';
import { track } from './analytics/track.ts';
import { Dashboard } from './dashboard/Dashboard.tsx';
import { NotFoundPage } from './layout/NotFoundPage.tsx';
import { usePath } from './location.ts';
import { LoginPage } from './login/LoginPage.tsx';
import { SCREEN_PATHS, screenFor } from './routeGuard.ts';
import { useAccount } from './session/localRecords.ts';
import { pageSession } from './session/pageSession.ts';

export function App() {
  const signedIn = useAccount();
  const { onAir, dashboardsReplaced } = useSyncExternalStore(pageSession.subscribe, pageSession.state);
  const account = signedIn ?? onAir;
  const { path, replacePath } = usePath();
  const screen = screenFor(path, account);

  useLayoutEffect(() => replacePath(SCREEN_PATHS[screen] ?? path));

  useEffect(() => track('page_view', screen), [screen]);

  if (screen === 'notFound') return <NotFoundPage />;
  if (!account) return <LoginPage />;
  // `key`: a dashboard must not inherit the sound and failures of another account, nor an ended session.
  return <Dashboard key={`${account.id} ${dashboardsReplaced}`} account={account} />;
}

import { useReactiveVar } from '@apollo/client/react';
import { useEffect, useLayoutEffect } from 'react';
import { track } from './analytics/track.ts';
import { Dashboard } from './dashboard/Dashboard.tsx';
import { NotFoundPage } from './layout/NotFoundPage.tsx';
import { usePath } from './location.ts';
import { LoginPage } from './login/LoginPage.tsx';
import { SCREEN_PATHS, screenFor } from './routeGuard.ts';
import { useAccount } from './session/localRecords.ts';
import { dashboardsReplaced, soundOnAir } from './session/sessionEnd.ts';

export function App() {
  const signedIn = useAccount();
  const onAir = useReactiveVar(soundOnAir);
  const replaced = useReactiveVar(dashboardsReplaced);
  const account = signedIn ?? onAir;
  const { path, replacePath } = usePath();
  const screen = screenFor(path, account);

  useLayoutEffect(() => replacePath(SCREEN_PATHS[screen] ?? path));

  useEffect(() => track('page_view', screen), [screen]);

  if (screen === 'notFound') return <NotFoundPage />;
  if (!account) return <LoginPage />;
  // `key`: a dashboard must not inherit the sound and failures of another account, nor an ended session.
  return <Dashboard key={`${account.id} ${replaced}`} account={account} />;
}

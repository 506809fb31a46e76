import { useReactiveVar } from '@apollo/client/react';
import { useEffect, useLayoutEffect } from 'react';
import { track } from './analytics/track.ts';
import { Dashboard } from './dashboard/Dashboard.tsx';
import { NotFoundPage } from './layout/NotFoundPage.tsx';
import { Shell } from './layout/Shell.tsx';
import { redirect, usePathname } from './location.ts';
import { LoginPage } from './login/LoginPage.tsx';
import { routeFor } from './routeGuard.ts';
import { useAccount } from './session/localRecords.ts';
import { soundOnAir } from './session/sessionEnd.ts';

export function App() {
  const account = useAccount();
  const onAir = useReactiveVar(soundOnAir);
  const route = routeFor(usePathname(), account ?? onAir);

  const redirectTo = 'redirectTo' in route ? route.redirectTo : null;

  useLayoutEffect(() => {
    if (redirectTo !== null) redirect(redirectTo);
  }, [redirectTo]);

  const screen = 'screen' in route ? route.screen : null;
  useEffect(() => {
    if (screen) track('page_view', screen);
  }, [screen]);

  if ('redirectTo' in route) return <Shell />;
  if (route.screen === 'login') return <LoginPage />;
  if (route.screen === 'notFound') return <NotFoundPage />;
  // `key`: another tab may sign in another account, which must not inherit this one's sound and failures.
  return <Dashboard key={route.account.id} account={route.account} />;
}

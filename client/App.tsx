import { useEffect, useLayoutEffect } from 'react';
import { track } from './analytics/track.ts';
import { DashboardScreen } from './DashboardScreen.tsx';
import { routeFor } from './guard.ts';
import { whenIdle } from './idle.ts';
import { NotFoundPage } from './layout/NotFoundPage.tsx';
import { Shell } from './layout/Shell.tsx';
import { loadApi } from './loadApi.ts';
import { loadDashboard } from './loadDashboard.ts';
import { useAccount } from './localRecords.ts';
import { redirect, usePathname } from './location.ts';
import { LoginPage } from './login/LoginPage.tsx';

/** The screen of the address and the visitor. */
export function App() {
  const route = routeFor(usePathname(), useAccount());
  const redirectTo = 'redirectTo' in route ? route.redirectTo : null;

  useLayoutEffect(() => {
    if (redirectTo !== null) redirect(redirectTo);
  }, [redirectTo]);

  const screen = 'screen' in route ? route.screen : null;
  useEffect(() => {
    if (screen) track('page_view', screen);
  }, [screen]);

  if ('redirectTo' in route) return <Shell />;
  if (route.screen === 'login') return <LoginScreen />;
  if (route.screen === 'notFound') return <NotFoundPage />;
  return <DashboardScreen account={route.account} />;
}

/** The login screen needs nothing more; what comes after it is fetched while the partner types. */
function LoginScreen() {
  useEffect(() => whenIdle(() => Promise.allSettled([loadApi(), loadDashboard()])), []);
  return <LoginPage />;
}

import { useEffect, useLayoutEffect } from 'react';
import { track } from './analytics/track.ts';
import { loadApi } from './api/loadApi.ts';
import { DashboardScreen } from './dashboard/DashboardScreen.tsx';
import { loadDashboard } from './dashboard/loadDashboard.ts';
import { NotFoundPage } from './layout/NotFoundPage.tsx';
import { Shell } from './layout/Shell.tsx';
import { redirect, usePathname } from './location.ts';
import { LoginPage } from './login/LoginPage.tsx';
import { routeFor } from './routes.ts';
import { useAccount } from './session/localRecords.ts';
import { whenIdle } from './start/idle.ts';

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

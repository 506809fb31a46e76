import { lazy, Suspense, useEffect, useLayoutEffect } from 'react';
import { navigate, usePathname } from 'wouter/use-browser-location';
import { routeFor } from './guard.ts';
import { whenIdle } from './idle.ts';
import { NotFoundPage } from './layout/NotFoundPage.tsx';
import { Shell } from './layout/Shell.tsx';
import { loadDashboard } from './loadDashboard.ts';
import { useAccount } from './localRecords.ts';
import { LoginPage } from './login/LoginPage.tsx';

const DashboardPage = lazy(loadDashboard);

/** The screen of the address and the visitor. */
export function App() {
  const route = routeFor(usePathname(), useAccount());
  const redirectTo = 'redirectTo' in route ? route.redirectTo : null;

  useLayoutEffect(() => {
    if (redirectTo !== null) navigate(redirectTo, { replace: true });
  }, [redirectTo]);

  if ('redirectTo' in route) return <Shell />;
  if (route.screen === 'login') return <LoginScreen />;
  if (route.screen === 'notFound') return <NotFoundPage />;
  return (
    <Suspense fallback={<Shell />}>
      <DashboardPage account={route.account} />
    </Suspense>
  );
}

/** The login screen needs nothing more; what comes after it is fetched while the partner types. */
function LoginScreen() {
  useEffect(() => whenIdle(() => loadDashboard().catch(() => undefined)), []);
  return <LoginPage />;
}

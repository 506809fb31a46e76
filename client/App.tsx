import { lazy, useDeferredValue, useEffect, useLayoutEffect } from 'react';
import { track } from './analytics/track.ts';
import { NotFoundPage } from './layout/NotFoundPage.tsx';
import { Shell } from './layout/Shell.tsx';
import { redirect, usePathname } from './location.ts';
import { LoginPage } from './login/LoginPage.tsx';
import { routeFor } from './routes.ts';
import { useAccount } from './session/localRecords.ts';
import { whenIdle } from './whenIdle.ts';

const loadDashboard = () => import('./dashboard/Dashboard.tsx');
const Dashboard = lazy(loadDashboard);

/**
 * While the dashboard's code is loaded, `shown` stays behind `wanted`, as the page's first picture or the previous screen: a Suspense
 * boundary would hold the dashboard back until its fallback was shown for 300 ms.
 */
export function App() {
  const wanted = routeFor(usePathname(), useAccount());
  const shown = useDeferredValue(wanted);

  const redirectTo = 'redirectTo' in wanted ? wanted.redirectTo : null;

  useLayoutEffect(() => {
    if (redirectTo !== null) redirect(redirectTo);
  }, [redirectTo]);

  const wantedScreen = 'screen' in wanted ? wanted.screen : null;
  useEffect(() => {
    if (wantedScreen) track('page_view', wantedScreen);
  }, [wantedScreen]);

  if ('redirectTo' in shown) return <Shell />;
  if (shown.screen === 'login') return <LoginScreen />;
  if (shown.screen === 'notFound') return <NotFoundPage />;
  // The key: another tab may sign in another account, which must not inherit this one's sound and failures.
  return <Dashboard key={shown.account.id} company={shown.account.company} />;
}

function LoginScreen() {
  useEffect(() => whenIdle(() => loadDashboard().catch(() => undefined)), []);
  return <LoginPage />;
}

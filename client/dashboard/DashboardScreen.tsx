import { useEffect, useState } from 'react';
import { Shell } from '../layout/Shell.tsx';
import { signOut } from '../session/signOut.ts';
import type { Account } from '../session/storage.ts';
import { loadDashboard, loadedDashboard } from './loadDashboard.ts';

/**
 * The dashboard, or the shell until it is loaded. React's own `lazy` would show the shell even for a dashboard already loaded,
 * and keep it for 300 ms at least.
 */
export function DashboardScreen({ account }: { account: Account }) {
  const [state, setState] = useState(() => ({ page: loadedDashboard(), failed: false }));

  useEffect(() => {
    if (state.page) return;
    loadDashboard().then(
      (page) => setState({ page, failed: false }),
      () => setState({ page: null, failed: true }),
    );
  }, [state.page]);

  if (state.failed) throw new Error('The dashboard could not be loaded');
  if (!state.page) return <Shell />;
  // Another tab may put another account in the place of this one, whose sound and failures are not its own.
  return <state.page key={account.id} company={account.company} onSignOut={signOut} />;
}

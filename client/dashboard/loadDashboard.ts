import type { ComponentType } from 'react';

export type DashboardProps = { company: string; onSignOut: () => void };

export type DashboardView = ComponentType<DashboardProps>;

let loaded: DashboardView | null = null;

/** The dashboard with everything that its first picture needs, and that only it does. */
export async function loadDashboard(): Promise<DashboardView> {
  loaded ??= (await import('./Dashboard.tsx')).Dashboard;
  return loaded;
}

/** The dashboard if it is there already, so that it can be shown at once. */
export function loadedDashboard(): DashboardView | null {
  return loaded;
}

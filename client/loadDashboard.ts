import type { ComponentType } from 'react';
import type { Account } from './storage.ts';

export type DashboardPage = ComponentType<{ account: Account }>;

let loaded: DashboardPage | null = null;

/** The dashboard with everything that only it needs, the GraphQL client included. */
export async function loadDashboard(): Promise<DashboardPage> {
  loaded ??= (await import('./dashboard/DashboardPage.tsx')).DashboardPage;
  return loaded;
}

/** The dashboard if it is there already, so that it can be shown at once. */
export function loadedDashboard(): DashboardPage | null {
  return loaded;
}

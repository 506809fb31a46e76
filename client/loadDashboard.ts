/** Everything that only the dashboard needs, the GraphQL client included. */
export const loadDashboard = () => import('./dashboard/DashboardPage.tsx');

export const LOGIN_PATH = '/';
export const DASHBOARD_PATH = '/dashboard';

export const GRAPHQL_PATH = '/graphql';
export const LIVE_PATH = '/live/';
export const HEALTH_PATH = '/healthz';
export const READY_PATH = '/readyz';
export const DOC_PATHS = { 'api.md': '/docs/api', 'players.md': '/docs/players' } as const;
export const SCHEMA_PATH = '/docs/schema.graphql';

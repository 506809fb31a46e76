export const LOGIN_PATH = '/';
export const DASHBOARD_PATH = '/dashboard';

/** The paths of the two screens, known to the client and to the server. */
export const LOGIN_PATH = '/';
export const DASHBOARD_PATH = '/dashboard';

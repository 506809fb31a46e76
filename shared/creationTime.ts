export const PROVIDER_TIMEOUT_MS = 5_000;

export const DATABASE_CONNECT_TIMEOUT_MS = 1_200;
export const DATABASE_QUERY_TIMEOUT_MS = 1_300;

const QUERIES = 3;

/** One query each to find the session, to note its use and to record the token; and the provider's answer. */
export const LONGEST_CREATION_MS =
  PROVIDER_TIMEOUT_MS + QUERIES * (DATABASE_CONNECT_TIMEOUT_MS + DATABASE_QUERY_TIMEOUT_MS);

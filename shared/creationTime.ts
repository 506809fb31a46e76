export const PROVIDER_TIMEOUT_MS = 5_000;

/** How long each address of a name is tried, but for the last: an IPv6 address may lead nowhere, and IPv4 be slow. */
export const ADDRESS_TIMEOUT_MS = 600;

export const DATABASE_CONNECT_TIMEOUT_MS = ADDRESS_TIMEOUT_MS + 1_400;
export const DATABASE_QUERY_TIMEOUT_MS = 1_300;

const QUERIES = 3;

/** One query each to find the session, to note its use and to record the token; and the provider's answer. */
export const LONGEST_CREATION_MS =
  PROVIDER_TIMEOUT_MS + QUERIES * (DATABASE_CONNECT_TIMEOUT_MS + DATABASE_QUERY_TIMEOUT_MS);

/**
 * The codes in `extensions.code` of a failure. No field has this type: it is here so that generated code knows the names.
 * More may be added: treat an unknown one like `INTERNAL_SERVER_ERROR`.
 */
export type ErrorCode =
  /** The request is not one of GraphQL over HTTP. */
  | 'BAD_REQUEST'
  /** An argument (`extensions.argument`) is outside its limits, a variable has the wrong type, or a key sent `logout`. */
  | 'BAD_USER_INPUT'
  /** The server does not reach its database, or cannot record a token there. */
  | 'DATABASE_UNAVAILABLE'
  /** The query is not GraphQL. */
  | 'GRAPHQL_PARSE_FAILED'
  /** The query does not fit the schema or the limits. */
  | 'GRAPHQL_VALIDATION_FAILED'
  /** A fault of the server. */
  | 'INTERNAL_SERVER_ERROR'
  /** No enabled account has exactly this username and password. */
  | 'INVALID_CREDENTIALS'
  /** The request is neither POST nor GET. */
  | 'METHOD_NOT_ALLOWED'
  /** Nothing is at this path. */
  | 'NOT_FOUND'
  /** The operation that the request names is not in its query. */
  | 'OPERATION_RESOLUTION_FAILURE'
  /** The body is too large. */
  | 'PAYLOAD_TOO_LARGE'
  /** The request has the hash of a query instead of the query. */
  | 'PERSISTED_QUERY_NOT_SUPPORTED'
  /** The media provider's answer holds no usable token. */
  | 'PROVIDER_BAD_ANSWER'
  /** The media provider is down, slow or refuses. */
  | 'PROVIDER_UNAVAILABLE'
  /**
   * Too many requests: try again after `extensions.retryAfterSeconds`, which the header `Retry-After` says too.
   * `extensions.reason` is a `RateLimitedReason`.
   */
  | 'RATE_LIMITED'
  /** The request carries no valid session or key: `extensions.reason` is an `UnauthenticatedReason`. */
  | 'UNAUTHENTICATED'
  /** The body is not JSON in UTF-8, or is compressed. */
  | 'UNSUPPORTED_MEDIA_TYPE';

/** The kind of a key. */
export type KeyKind =
  /** It is part of an address of its own that a player opens, and opens nothing else. */
  | 'PLAYER'
  /** It is sent to the API, as `Authorization: Bearer`. */
  | 'TOOL';

/** The causes in `extensions.reason` of a failure with `RATE_LIMITED`. No field has this type. More may be added. */
export type RateLimitedReason =
  /** Too many requests, maybe of others, are under way at this moment. Nothing was counted. */
  | 'AT_ONCE'
  /** The caller made all the attempts or tokens that a period allows. */
  | 'USED_UP';

/** The kind of caller that asked for a token. */
export type TokenClient =
  /** A browser: the session came as a cookie. */
  | 'BROWSER'
  /** A player, which opened an address of its own. */
  | 'PLAYER'
  /** A tool: the session or key came as `Authorization: Bearer`. */
  | 'TOOL';

/** The outcome of asking for a token. */
export type TokenOutcome =
  /** A token was issued. */
  | 'ISSUED'
  /** None: `createToken` failed with `PROVIDER_BAD_ANSWER`. */
  | 'PROVIDER_BAD_ANSWER'
  /** None: `createToken` failed with `PROVIDER_UNAVAILABLE`. */
  | 'PROVIDER_UNAVAILABLE';

/** The causes in `extensions.reason` of a failure with `UNAUTHENTICATED`. No field has this type. More may be added. */
export type UnauthenticatedReason =
  /** The key is unknown, expired, revoked, a player's, or of another network, or its account is disabled or has ended. */
  | 'KEY_REFUSED'
  /** The request carries nothing that could be a session or a key. */
  | 'NO_CREDENTIALS'
  /** The session is of another account than the one that the header `x-account-id` names. */
  | 'OTHER_ACCOUNT'
  /** The session has expired or was ended, or its account was disabled or got a new password. */
  | 'SESSION_ENDED';

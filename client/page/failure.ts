import type { OperationCode } from '../../shared/errorCodes.ts';

export type Failure = {
  code: OperationCode | SessionEnd | OwnCode;
  retryAfterSeconds?: number | undefined;
};

/** The page's own codes. The server's `RATE_LIMITED` says that the partner has used up what a period allows. */
type OwnCode =
  | 'NO_ANSWER'
  | 'NO_NETWORK'
  /** The server does not know the operation, because this page is of an older release. */
  | 'NEW_VERSION'
  /** A web page or a redirect answered, as from a gateway whose own sign-in has ended. */
  | 'OTHER_PAGE'
  /** The same, and the answer says what it found too much of. */
  | 'TOO_MANY_COOKIES'
  | 'TOO_LARGE'
  /** Server or proxy has too much to do at this moment, and says when to ask again. */
  | 'BUSY'
  | 'UNKNOWN';

/** Why a session ended, unless the partner signed out in this tab. */
export type SessionEnd =
  | 'UNAUTHENTICATED'
  | 'OTHER_ACCOUNT'
  | 'COOKIES_BLOCKED'
  | 'COOKIES_DELETED'
  | 'SIGNED_OUT_ELSEWHERE';

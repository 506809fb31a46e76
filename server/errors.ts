import type { OperationCode } from '../shared/operationCodes.ts';

/** Every code of a request that is refused before GraphQL sees it. */
export const REQUEST_CODES = [
  'BAD_REQUEST',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INTERNAL_SERVER_ERROR',
] as const;
export type RequestCode = (typeof REQUEST_CODES)[number];

/** The whole message that a caller gets for an unexpected error; the error itself is only logged. */
export const INTERNAL_ERROR = { message: 'Internal server error', code: 'INTERNAL_SERVER_ERROR' } as const;

/** The JSON body of a refused request. */
export function refusal(message: string, code: RequestCode) {
  return { errors: [{ message, extensions: { code } }] };
}

/** An expected failure. Callers see its message and code, operators also its `cause` in the log. */
export class CodedError extends Error {
  readonly code: OperationCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: OperationCode,
    message: string,
    { cause, retryAfterSeconds }: { cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'CodedError';
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** An error whose message is written for the operator at the terminal, who needs no stack trace. */
export class OperatorError extends Error {}

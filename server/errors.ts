import { SECOND_MS } from '../shared/durations.ts';
import type { OperationCode } from '../shared/errorCodes.ts';
import type { ErrorCode, RateLimitedReason, UnauthenticatedReason } from '../shared/generated/schemaEnums.ts';
import { waitTime } from '../shared/waitTime.ts';

export const REQUEST_CODES = [
  'BAD_REQUEST',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INTERNAL_SERVER_ERROR',
] as const satisfies readonly ErrorCode[];
export type RequestCode = (typeof REQUEST_CODES)[number];

export const INTERNAL_ERROR = { message: 'Internal server error', code: 'INTERNAL_SERVER_ERROR' } as const;

export type ErrorDetails = {
  retryAfterSeconds?: number;
  argument?: string;
  reason?: UnauthenticatedReason | RateLimitedReason;
};

/**
 * An expected failure; clients see its message, code and details. A `cause` makes it a failure of ours or the
 * provider's, which is logged; without one it is a mistake of the client, which is not.
 */
export class CodedError extends Error {
  readonly code: OperationCode;
  readonly details: ErrorDetails;

  constructor(
    code: OperationCode,
    message: string,
    { cause, ...details }: ErrorDetails & { cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    // The stack of an expected failure is never read, and would take a sixth of the time of a refusal.
    this.stack = `CodedError: ${message}`;
    this.code = code;
    this.details = details;
  }
}

/** An error whose message is written for the operator at the terminal, who needs no stack trace. */
export class OperatorError extends Error {
  readonly exitCode: number = 1;
}

export function refusal(message: string, code: RequestCode, details: { reason?: string } = {}) {
  return { errors: [{ message, extensions: { code, ...details } }] };
}

export function rateLimited(reason: RateLimitedReason, what: string, waitMs: number): CodedError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / SECOND_MS));
  const { count, unit } = waitTime(retryAfterSeconds);
  const wait = `${count} ${unit}${count === 1 ? '' : 's'}`;
  return new CodedError('RATE_LIMITED', `${what}, try again in ${wait}`, { retryAfterSeconds, reason });
}

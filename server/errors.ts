import { GraphQLError } from 'graphql';
import type { OperationCode } from '../shared/operationCodes.ts';

/** Every code of a request that GraphQL never saw. */
export const REQUEST_CODES = [
  'BAD_REQUEST',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INTERNAL_SERVER_ERROR',
] as const;
export type RequestCode = (typeof REQUEST_CODES)[number];

/** The body that answers such a request. */
export function refusal(message: string, code: RequestCode) {
  return { errors: [{ message, extensions: { code } }] };
}

/**
 * An expected failure. Its message and code reach the caller, so neither may name anything of the inside;
 * what an operator needs goes into `cause`, which is only logged.
 */
export class CodedError extends GraphQLError {
  readonly code: OperationCode;

  constructor(
    code: OperationCode,
    message: string,
    { cause, retryAfterSeconds }: { cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, { extensions: { code, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) } });
    this.name = 'CodedError';
    this.code = code;
    if (cause !== undefined) this.cause = cause;
  }
}

/** Why the process cannot go on, in words for the person at the terminal, who needs no stack trace. */
export class OperatorError extends Error {}

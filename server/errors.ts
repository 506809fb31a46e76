import { GraphQLError } from 'graphql';

/** Every code that a failed operation of ours answers in `extensions.code`, beside those of GraphQL itself. */
export type ErrorCode =
  | 'INVALID_CREDENTIALS'
  | 'BAD_USER_INPUT'
  | 'UNAUTHENTICATED'
  | 'RATE_LIMITED'
  | 'PROVIDER_UNAVAILABLE'
  | 'PROVIDER_BAD_ANSWER'
  | 'DATABASE_UNAVAILABLE';

/**
 * An expected failure. Its message and code reach the caller, so neither may name anything of the inside;
 * what an operator needs goes into `cause`, which is only logged.
 */
export class CodedError extends GraphQLError {
  readonly code: ErrorCode;

  constructor(
    code: ErrorCode,
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

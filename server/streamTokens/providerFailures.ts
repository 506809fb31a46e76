import { CodedError } from '../errors.ts';

/**
 * What went wrong with the provider, as operators tell it apart: no whole answer in time; no connection; a status other
 * than 2xx; an answer without a usable token; left alone because it is absent; too many waiting for it already.
 */
export const PROVIDER_FAILURE_KINDS = [
  'timeout',
  'connection',
  'status',
  'answer',
  'left_alone',
  'queue_full',
] as const;
export type ProviderFailureKind = (typeof PROVIDER_FAILURE_KINDS)[number];

/** Why there is no token. `reason` is for the log alone, `kind` for whoever counts. */
export class ProviderFailure extends CodedError {
  constructor(
    code: 'PROVIDER_UNAVAILABLE' | 'PROVIDER_BAD_ANSWER',
    readonly kind: ProviderFailureKind,
    reason: string,
  ) {
    super(code, MESSAGES[code], { cause: new Error(reason) });
  }
}

const MESSAGES = {
  PROVIDER_UNAVAILABLE: 'The media provider is not available',
  PROVIDER_BAD_ANSWER: 'The media provider gave no usable answer',
};

/** The provider is not there: no connection, no whole answer in time, or 5xx. */
export class ProviderAbsent extends ProviderFailure {
  constructor(kind: ProviderFailureKind, reason: string) {
    super('PROVIDER_UNAVAILABLE', kind, reason);
  }
}

/** The provider gives no page, or is not asked for one. */
export function unavailable(kind: ProviderFailureKind, reason: string): ProviderFailure {
  return new ProviderFailure('PROVIDER_UNAVAILABLE', kind, reason);
}

/** What the provider answers holds no token. */
export function badAnswer(reason: string): ProviderFailure {
  return new ProviderFailure('PROVIDER_BAD_ANSWER', 'answer', reason);
}

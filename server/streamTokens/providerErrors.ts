import type { ProviderCode } from '../../shared/errorCodes.ts';
import { CodedError } from '../errors.ts';

/**
 * Values of the metric `audio_provider_failures_total`. `left_alone`: the breaker is open, or tries one request;
 * `queue_full`: too many are under way.
 */
export const PROVIDER_FAILURE_KINDS = [
  'timeout',
  'connection',
  'credentials',
  'status',
  'answer',
  'left_alone',
  'queue_full',
] as const;
export type ProviderFailureKind = (typeof PROVIDER_FAILURE_KINDS)[number];

const MESSAGES: Record<ProviderCode, string> = {
  PROVIDER_UNAVAILABLE: 'The media provider is not available',
  PROVIDER_BAD_ANSWER: 'The media provider gave no usable answer',
};

/** `kind` is counted; `reason` goes to the log alone. */
export class ProviderFailure extends CodedError {
  declare readonly code: ProviderCode;
  readonly wasAsked: boolean = true;

  constructor(
    code: ProviderCode,
    readonly kind: ProviderFailureKind,
    reason: string,
  ) {
    super(code, MESSAGES[code], { cause: new Error(reason) });
  }
}

/** No connection, no whole answer in time, or 5xx. The circuit breaker counts these. */
export class ProviderAbsent extends ProviderFailure {
  constructor(kind: 'timeout' | 'connection' | 'status', reason: string) {
    super('PROVIDER_UNAVAILABLE', kind, reason);
  }
}

export class ProviderNotAsked extends ProviderFailure {
  override readonly wasAsked = false;

  constructor(kind: 'left_alone' | 'queue_full', reason: string) {
    super('PROVIDER_UNAVAILABLE', kind, `not asked: ${reason}`);
  }
}

export function unavailable(kind: 'credentials' | 'status' | 'answer', reason: string): ProviderFailure {
  return new ProviderFailure('PROVIDER_UNAVAILABLE', kind, reason);
}

export function badAnswer(reason: string): ProviderFailure {
  return new ProviderFailure('PROVIDER_BAD_ANSWER', 'answer', reason);
}

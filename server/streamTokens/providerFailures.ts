import { CodedError } from '../errors.ts';

/** The provider is not there: no connection, no whole answer in time, or 5xx. `reason` is for the log alone. */
export class ProviderAbsent extends CodedError {
  constructor(reason: string) {
    super(...unavailability(reason));
  }
}

/** The provider gives no page, or is not asked for one. `reason` is for the log alone. */
export function unavailable(reason: string): CodedError {
  return new CodedError(...unavailability(reason));
}

/** What the provider answers holds no token. `reason` is for the log alone. */
export function badAnswer(reason: string): CodedError {
  return new CodedError('PROVIDER_BAD_ANSWER', 'The media provider gave no usable answer', {
    cause: new Error(reason),
  });
}

function unavailability(reason: string): ConstructorParameters<typeof CodedError> {
  return ['PROVIDER_UNAVAILABLE', 'The media provider is not available', { cause: new Error(reason) }];
}

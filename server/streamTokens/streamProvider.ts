import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleType,
  type IBackoff,
  TaskCancelledError,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel';
import { MINUTE_MS } from '../../shared/durations.ts';
import { TOKEN_LIFETIME_MS } from '../../shared/tokenLifetime.ts';
import { NO_PROXIES, type Proxies } from '../config/proxies.ts';
import {
  badAnswer,
  ProviderAbsent,
  ProviderFailure,
  type ProviderFailureKind,
  ProviderNotAsked,
} from './providerErrors.ts';
import { tokenFromProviderPage } from './providerHtml.ts';
import { PAGE_LIMIT_BYTES, type ProviderPage } from './providerPage.ts';
import { createProviderRequests } from './providerRequest.ts';
import { createOldTokenSigns, isBoundToAddress, OLD_TOKEN_SIGNS, validMinutesOf } from './tokenFaults.ts';

export const PROVIDER_TIMEOUT_MS = 5_000;
const MAX_REQUESTS = 256;
const ABSENCES_TO_OPEN = 5;
const OPEN_MS = 2_000;
export const TOKEN_MINUTES = TOKEN_LIFETIME_MS / MINUTE_MS;

const BOUND_TOKEN =
  "The media provider's tokens are bound to this server's IP address: they may not play elsewhere";
const OLD_TOKEN = 'The media provider gave a token that may end sooner than partners are told';
const otherLifetime = (minutes: number) =>
  `The media provider's tokens are valid for ${minutes} minutes, but partners are told ${TOKEN_MINUTES}`;

export type StreamProvider = {
  /**
   * @throws {ProviderNotAsked} at once, while the circuit breaker is open or tries one request, or `MAX_REQUESTS` are
   *   under way
   * @throws {ProviderFailure} `PROVIDER_UNAVAILABLE` when it is down, slow or does not answer 2xx;
   *   `PROVIDER_BAD_ANSWER` when its answer holds no usable link
   */
  fetchToken(): Promise<string>;
  close(): Promise<void>;
};

/** Why a token that the provider gave may not play as long as partners are told, or not from where they are. */
export const TOKEN_FAULTS = ['address', 'lifetime', ...OLD_TOKEN_SIGNS] as const;
export type TokenFault = (typeof TOKEN_FAULTS)[number];

export type ProviderObserver = {
  onAsked(durationMs: number): void;
  onFailure(kind: ProviderFailureKind): void;
  onTokenFault(fault: TokenFault): void;
};

export const BREAKER_STATES = ['closed', 'open', 'half_open'] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

export type StreamProviderOptions = {
  tokenUrl: URL | string;
  authSignParameter: string;
  log: { warn(message: string): void };
  observer?: ProviderObserver | undefined;
  timeoutMs?: number;
  clock?: () => Date;
  proxies?: Proxies;
};

/** A subject is logged once, and again only after a token without it. */
type TokenWarning = { fault: TokenFault; subject: string; warning: string };

/** Asks the provider behind a circuit breaker (docs/decisions/0010-provider-breaker.md). */
export function createStreamProvider(
  options: StreamProviderOptions,
): StreamProvider & { breakerState(): BreakerState } {
  const { authSignParameter, log, observer } = options;
  const { timeoutMs = PROVIDER_TIMEOUT_MS, clock = () => new Date(), proxies = NO_PROXIES } = options;
  const requests = createProviderRequests(new URL(options.tokenUrl), {
    connections: MAX_REQUESTS,
    connectTimeoutMs: timeoutMs,
    proxies,
  });
  // `Aggressive` rejects at the limit itself: undici ignores an abort signal until the request has a connection.
  const timeLimit = timeout(timeoutMs, TimeoutStrategy.Aggressive);
  const absences = new ConsecutiveBreaker(ABSENCES_TO_OPEN);
  const breaker = circuitBreaker(handleType(ProviderAbsent).orType(TaskCancelledError), {
    breaker: absences,
    halfOpenAfter: { next: () => pause(OPEN_MS) },
  });
  const policy = wrap(bulkhead(MAX_REQUESTS), breaker, timeLimit);
  timeLimit.onSuccess(({ duration }) => observer?.onAsked(duration));
  timeLimit.onFailure(({ duration }) => observer?.onAsked(duration));
  const oldTokenSigns = createOldTokenSigns(clock);
  let warnedOf: string[] = [];

  async function fetchPageWithPolicy(): Promise<ProviderPage> {
    try {
      // Fail at once during the trial call; cockatiel would make all others wait for it.
      if (breaker.state === CircuitState.HalfOpen) throw new BrokenCircuitError();
      // The library's default is one signal for all calls, and Node warns of a leak at its eleventh listener.
      const { signal: neverAborted } = new AbortController();
      return await policy.execute(({ signal }) => requests.fetchPage(signal), neverAborted);
    } catch (error) {
      if (error instanceof BrokenCircuitError) throw new ProviderNotAsked('left_alone', 'it is absent');
      if (error instanceof BulkheadRejectedError) {
        throw new ProviderNotAsked('queue_full', 'too many requests are under way');
      }
      if (error instanceof TaskCancelledError) {
        throw new ProviderAbsent('timeout', `no whole answer within ${timeoutMs} ms`);
      }
      // An unusable answer, too, proves that the provider is up; cockatiel resets the count only after successes.
      if (!(error instanceof ProviderAbsent)) absences.success();
      throw error;
    }
  }

  async function askProvider(): Promise<{ token: string; ageSeconds: number }> {
    const page = await fetchPageWithPolicy();
    const token = tokenFromProviderPage(page.html, authSignParameter);
    if (token === null) throw badAnswer(whyNoToken(page));
    return { token, ageSeconds: page.ageSeconds };
  }

  return {
    async fetchToken() {
      const { token, ageSeconds } = await askProvider().catch((error: unknown) => {
        if (error instanceof ProviderFailure) observer?.onFailure(error.kind);
        throw error;
      });
      const warnings = [
        ...warningsOf(token),
        ...[...oldTokenSigns(token, ageSeconds)].map(
          ([fault, words]): TokenWarning => ({ fault, subject: fault, warning: `${OLD_TOKEN}: ${words}` }),
        ),
      ];
      for (const { fault, subject, warning } of warnings) {
        observer?.onTokenFault(fault);
        if (!warnedOf.includes(subject)) log.warn(warning);
      }
      warnedOf = warnings.map(({ subject }) => subject);
      return token;
    },

    close: () => requests.close(),

    breakerState() {
      if (breaker.state === CircuitState.Closed) return 'closed';
      return breaker.state === CircuitState.HalfOpen ? 'half_open' : 'open';
    },
  };
}

function whyNoToken({ isCut, unreadableCoding }: ProviderPage): string {
  if (unreadableCoding !== null) return `content encoding ${unreadableCoding} cannot be read`;
  return `no usable link in the ${isCut ? `first ${PAGE_LIMIT_BYTES} bytes of the page` : 'page'}`;
}

function warningsOf(token: string): TokenWarning[] {
  const warnings: TokenWarning[] = [];
  const minutes = validMinutesOf(token);
  if (isBoundToAddress(token)) {
    warnings.push({ fault: 'address', subject: 'address', warning: BOUND_TOKEN });
  }
  if (minutes !== null && minutes !== TOKEN_MINUTES) {
    warnings.push({ fault: 'lifetime', subject: `${minutes} minutes`, warning: otherLifetime(minutes) });
  }
  return warnings;
}

/**
 * A pause of the circuit breaker that ends by the monotonic clock. The library asks for its duration at each call and
 * compares it with the time of day, which may be set back: so it gets an endless duration until the pause is over.
 */
function pause(durationMs: number): IBackoff<unknown> {
  const end = performance.now() + durationMs;
  return {
    get duration() {
      return performance.now() < end ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    },
    next: () => pause(durationMs),
  };
}

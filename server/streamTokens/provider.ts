import { unescape as percentDecode } from 'node:querystring';
import { unzipSync } from 'node:zlib';
import { buildConnector, type Dispatcher, errors, Pool } from 'undici';
import { isBoundToAddress } from './ipBoundToken.ts';
import {
  badAnswer,
  ProviderAbsent,
  ProviderFailure,
  type ProviderFailureKind,
  unavailable,
} from './providerFailures.ts';
import { type BreakerState, createProviderGuard } from './providerGuard.ts';
import { tokenFromProviderPage } from './providerHtml.ts';

const TIMEOUT_MS = 5_000;
const PAGE_LIMIT_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 64;
const MAX_WAITING = 1_000;

export type StreamProvider = {
  /**
   * Asks the media provider for a new token. Fails with a `CodedError`: `PROVIDER_UNAVAILABLE` when the provider is
   * down, slow or does not answer 2xx, at once when it was absent just before; `PROVIDER_BAD_ANSWER` when its answer
   * holds no usable link.
   */
  fetchToken(): Promise<string>;
  /** Lets requests under way finish, then closes the connections. Those that wait for their turn fail. */
  close(): Promise<void>;
};

/** Whoever counts what becomes of requests to the provider. */
export type ProviderObserver = {
  /** The provider was asked, and answered or did not; without the wait for a turn. */
  onAsked(durationMs: number): void;
  /** There is no token. */
  onFailure(kind: ProviderFailureKind): void;
};

export type StreamProviderOptions = {
  /** The provider's secure audio endpoint; a user and password in it are sent as Basic authorization. */
  tokenUrl: URL | string;
  /** The parameter that the token follows in the provider's link. */
  authSignParameter: string;
  log: { warn(message: string): void };
  observer?: ProviderObserver | undefined;
  /** The time for one token, from waiting for a turn to the answer's last byte. */
  timeoutMs?: number;
};

/** The media provider behind `tokenUrl`, over connections that are kept alive between tokens. */
export function createStreamProvider(
  options: StreamProviderOptions,
): StreamProvider & { breakerState(): BreakerState } {
  const { authSignParameter, log, observer, timeoutMs = TIMEOUT_MS } = options;
  const url = new URL(options.tokenUrl);
  const guard = createProviderGuard({ atOnce: MAX_CONNECTIONS, waiting: MAX_WAITING });
  const pool = new Pool(url.origin, {
    connections: MAX_CONNECTIONS,
    connect: buildConnector({ timeout: timeoutMs }),
    maxResponseSize: PAGE_LIMIT_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const request = { method: 'GET', path: url.pathname + url.search, headers: requestHeaders(url) } as const;
  let wasBound = false;
  let closing: Promise<void> | undefined;

  /** Twice at most: a kept-alive connection may just have been closed, a provider may be starting anew. */
  async function respond(signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    try {
      return await pool.request({ ...request, signal });
    } catch (error) {
      if (!isConnectionError(error) || signal.aborted) throw error;
      return pool.request({ ...request, signal });
    }
  }

  async function pageOrFailure(signal: AbortSignal): Promise<string | ProviderFailure> {
    try {
      return await pageOf(await respond(signal));
    } catch (error) {
      return failureOf(error);
    }
  }

  /** The request's own signal would not do: undici looks at it only once the request has a connection. */
  async function askInTime(): Promise<string | ProviderFailure> {
    const limit = timeLimit(timeoutMs);
    const tooLate = `no whole answer within ${timeoutMs} ms`;
    const question = async (hasWaited: boolean) => {
      const isTooLate = limit.signal.aborted;
      const startMs = performance.now();
      try {
        return await Promise.race([
          pageOrFailure(limit.signal),
          limit.over.then(() =>
            hasWaited ? unavailable('timeout', tooLate) : new ProviderAbsent('timeout', tooLate),
          ),
        ]);
      } finally {
        if (!isTooLate) observer?.onAsked(performance.now() - startMs);
      }
    };
    try {
      return await Promise.race([
        guard.ask(question),
        limit.over.then(() => unavailable('timeout', tooLate)),
      ]);
    } finally {
      limit.cancel();
    }
  }

  async function tokenOrFailure(): Promise<string | ProviderFailure> {
    const page = await askInTime();
    if (page instanceof ProviderFailure) return page;
    return tokenFromProviderPage(page, authSignParameter) ?? badAnswer('no usable link in the page');
  }

  async function fetchToken(): Promise<string> {
    const token = await tokenOrFailure();
    if (token instanceof ProviderFailure) {
      observer?.onFailure(token.kind);
      throw token;
    }
    const isBound = isBoundToAddress(token);
    if (isBound && !wasBound) {
      log.warn(
        "The media provider's tokens are bound to this server's IP address: they may not play elsewhere",
      );
    }
    wasBound = isBound;
    return token;
  }

  function close(): Promise<void> {
    closing ??= pool.close();
    return closing;
  }

  return { fetchToken, close, breakerState: guard.state };
}

function requestHeaders(url: URL): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'text/html',
    'accept-encoding': 'identity',
    'user-agent': 'audio-oficial-premium',
  };
  if (url.username || url.password) {
    const credentials = `${percentDecode(url.username)}:${percentDecode(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }
  return headers;
}

/** `over` comes with `signal`, or never once cancelled. */
function timeLimit(durationMs: number) {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      resolve();
      controller.abort();
    }, durationMs);
  });
  return { signal: controller.signal, over, cancel: () => clearTimeout(timer) };
}

async function pageOf({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<string> {
  const refusal = refusalOf(statusCode, String(headers['content-type'] ?? ''));
  if (refusal) {
    body.on('error', () => {}).destroy();
    throw refusal;
  }
  const bytes = Buffer.from(await body.arrayBuffer());
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  return new TextDecoder().decode(encoding === 'identity' ? bytes : unzipped(bytes, encoding));
}

function refusalOf(statusCode: number, contentType: string): ProviderFailure | null {
  if (statusCode > 499) return new ProviderAbsent('status', `status ${statusCode}`);
  if (statusCode < 200 || statusCode > 299) return unavailable('status', `status ${statusCode}`);
  if (!/^(?:$|text\/|application\/xhtml\+xml)/i.test(contentType)) return badAnswer('not a text');
  return null;
}

/** For a provider that compresses although it was asked not to. */
function unzipped(bytes: Buffer, encoding: string): Buffer {
  if (!/^(?:x-)?gzip$|^deflate$/.test(encoding)) throw badAnswer('unknown content encoding');
  try {
    return unzipSync(bytes, { maxOutputLength: PAGE_LIMIT_BYTES });
  } catch (error) {
    throw badAnswer(`content encoding: ${codeOf(error)}`);
  }
}

function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof errors.ResponseExceededMaxSizeError) {
    return badAnswer(`more than ${PAGE_LIMIT_BYTES} bytes`);
  }
  if (isNoHttp(error)) return unavailable('answer', 'not HTTP');
  const code = codeOf(error);
  if (code === undefined) throw error;
  return new ProviderAbsent('connection', code);
}

function isConnectionError(error: unknown): boolean {
  return codeOf(error) !== undefined && !isNoHttp(error);
}

/** Whatever answers like that, it is there. */
function isNoHttp(error: unknown): boolean {
  return error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
}

/** The one part of a network error that surely holds no address and nothing of the answer. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

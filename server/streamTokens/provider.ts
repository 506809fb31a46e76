import type { Socket } from 'node:net';
import { unescape as percentDecode } from 'node:querystring';
import { unzipSync } from 'node:zlib';
import { buildConnector, type Dispatcher, errors, Pool } from 'undici';
import { CodedError } from '../errors.ts';
import { isBoundToAddress } from './addressBinding.ts';
import { tokenFromProviderPage } from './providerPage.ts';

const TIMEOUT_MS = 5_000;
const PAGE_LIMIT_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 64;

export type StreamProvider = {
  /**
   * Asks the media provider for a new token. Fails with a `CodedError`: `PROVIDER_UNAVAILABLE` when the provider is
   * down, slow or does not answer 2xx, `PROVIDER_BAD_ANSWER` when its answer holds no usable link.
   */
  fetchToken(): Promise<string>;
  /** Lets requests under way finish, then closes the connections. */
  close(): Promise<void>;
};

export type StreamProviderOptions = {
  /** The provider's secure audio endpoint; a user and password in it are sent as Basic authorization. */
  tokenUrl: URL | string;
  /** The parameter that the token follows in the provider's link. */
  authSignParameter: string;
  log: { warn(message: string): void };
  /** The time for one token, from connecting to the answer's last byte. */
  timeoutMs?: number;
};

/** The media provider behind `tokenUrl`, over connections that are kept alive between tokens. */
export function createStreamProvider(options: StreamProviderOptions): StreamProvider {
  const { authSignParameter, log, timeoutMs = TIMEOUT_MS } = options;
  const url = new URL(options.tokenUrl);
  const closedWhileIdle = new WeakSet<object>();
  const pool = new Pool(url.origin, {
    connections: MAX_CONNECTIONS,
    connect: connectorThatNotes(closedWhileIdle, timeoutMs),
    maxResponseSize: PAGE_LIMIT_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const request = { method: 'GET', path: url.pathname + url.search, headers: requestHeaders(url) } as const;
  let wasBound = false;
  let closing: Promise<void> | undefined;

  async function ask(signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    try {
      return await pool.request({ ...request, signal });
    } catch (error) {
      if (!isObject(error) || !closedWhileIdle.has(error) || signal.aborted) throw error;
      return pool.request({ ...request, signal });
    }
  }

  async function fetchToken(): Promise<string> {
    const page = await withinTime(timeoutMs, async (signal) => pageOf(await ask(signal))).catch((error) => {
      throw failureOf(error);
    });
    const token = tokenFromProviderPage(page, authSignParameter);
    if (token === null) throw badAnswer('no usable link in the page');
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

  return { fetchToken, close };
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

/** Notes the errors of connections that had carried an answer before: those deserve a second try on a new one. */
function connectorThatNotes(closedWhileIdle: WeakSet<object>, timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs });
  return (options, callback) =>
    connect(options, (...result) => {
      if (result[1]) noteErrors(result[1], closedWhileIdle);
      callback(...result);
    });
}

function noteErrors(socket: Socket, closedWhileIdle: WeakSet<object>): void {
  const bytesReadAtStart = socket.bytesRead;
  socket.on('error', (error) => {
    if (socket.bytesRead > bytesReadAtStart) closedWhileIdle.add(error);
  });
}

/** The request's own signal would not do: undici looks at it only once the request has a connection. */
async function withinTime<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(unavailable(`no whole answer within ${timeoutMs} ms`));
      controller.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([work(controller.signal), tooLate]);
  } finally {
    clearTimeout(timer);
  }
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

function refusalOf(statusCode: number, contentType: string): CodedError | null {
  if (statusCode < 200 || statusCode > 299) return unavailable(`status ${statusCode}`);
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

function failureOf(error: unknown): unknown {
  if (error instanceof CodedError) return error;
  if (error instanceof errors.ResponseExceededMaxSizeError) {
    return badAnswer(`more than ${PAGE_LIMIT_BYTES} bytes`);
  }
  const code = error instanceof errors.HTTPParserError ? 'not HTTP' : codeOf(error);
  return code === undefined ? error : unavailable(code);
}

/** The one part of a network error that surely holds no address and nothing of the answer. */
function codeOf(error: unknown): string | undefined {
  return isObject(error) && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function unavailable(reason: string): CodedError {
  return new CodedError('PROVIDER_UNAVAILABLE', 'The media provider is not available', {
    cause: new Error(reason),
  });
}

function badAnswer(reason: string): CodedError {
  return new CodedError('PROVIDER_BAD_ANSWER', 'The media provider gave no usable answer', {
    cause: new Error(reason),
  });
}

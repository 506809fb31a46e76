import { unescape as percentDecode } from 'node:querystring';
import { brotliDecompressSync, constants, inflateRawSync, unzipSync } from 'node:zlib';
import { TaskCancelledError } from 'cockatiel';
import { type Dispatcher, errors, Pool } from 'undici';
import { badAnswer, ProviderAbsent, ProviderFailure, unavailable } from './providerErrors.ts';

const PAGE_LIMIT_BYTES = 64 * 1024;

// Also reads a page whose compressed data is cut off.
const ZLIB_OPTIONS = { maxOutputLength: PAGE_LIMIT_BYTES, finishFlush: constants.Z_SYNC_FLUSH };
const ZLIB_METHOD = 8;

/** Some providers compress although they were asked not to. */
const DECODERS = new Map<string, (bytes: Buffer) => Buffer>([
  ['gzip', (bytes) => unzipSync(bytes, ZLIB_OPTIONS)],
  ['x-gzip', (bytes) => unzipSync(bytes, ZLIB_OPTIONS)],
  // Some servers send deflate without the header of zlib.
  [
    'deflate',
    (bytes) => (((bytes[0] ?? 0) & 0xf) === ZLIB_METHOD ? unzipSync : inflateRawSync)(bytes, ZLIB_OPTIONS),
  ],
  ['br', (bytes) => brotliDecompressSync(bytes, { maxOutputLength: PAGE_LIMIT_BYTES })],
]);

export function createProviderRequests(
  url: URL,
  { connections, connectTimeoutMs }: { connections: number; connectTimeoutMs: number },
) {
  const pool = new Pool(url.origin, {
    connections,
    connectTimeout: connectTimeoutMs,
    maxResponseSize: PAGE_LIMIT_BYTES,
    // The caller's signal limits the time of the whole answer.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const request = { method: 'GET', path: url.pathname + url.search, headers: requestHeaders(url) } as const;
  let closing: Promise<void> | undefined;

  async function respond(signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    try {
      return await pool.request({ ...request, signal });
    } catch (error) {
      if (signal.aborted || !isConnectionError(error)) throw error;
      return pool.request({ ...request, signal });
    }
  }

  return {
    /**
     * Requests the provider's page, twice at most: a kept-alive connection may just have been closed.
     * @throws {ProviderFailure}
     * @throws {TaskCancelledError} when `signal` aborts it
     */
    async fetchPage(signal: AbortSignal): Promise<string> {
      try {
        return await pageOf(await respond(signal), url);
      } catch (error) {
        if (signal.aborted) throw new TaskCancelledError();
        throw failureOf(error);
      }
    },

    close(): Promise<void> {
      closing ??= pool.close();
      return closing;
    },
  };
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

async function pageOf(response: Dispatcher.ResponseData, url: URL): Promise<string> {
  const { statusCode, headers, body } = response;
  const refusal = refusalOf(statusCode, headers, url);
  if (refusal) {
    body.on('error', () => {}).destroy();
    throw refusal;
  }
  const bytes = Buffer.from(await body.arrayBuffer());
  return new TextDecoder().decode(decoded(bytes, String(headers['content-encoding'] ?? '')));
}

function refusalOf(
  statusCode: number,
  { location, 'content-type': contentType = '' }: Dispatcher.ResponseData['headers'],
  url: URL,
): ProviderFailure | null {
  if (statusCode > 499) return new ProviderAbsent('status', `status ${statusCode}`);
  if (statusCode === 401 || statusCode === 403) return unavailable('credentials', `status ${statusCode}`);
  if (statusCode < 200 || statusCode > 299) {
    return unavailable('status', `status ${statusCode}${redirectTarget(location, url)}`);
  }
  if (!/^(?:$|text\/|application\/xhtml\+xml)/i.test(String(contentType))) return badAnswer('not a text');
  return null;
}

/** Names where a redirect leads, without the query and user, which may be secret. */
function redirectTarget(location: string | string[] | undefined, url: URL): string {
  if (typeof location !== 'string' || !URL.canParse(location, url)) return '';
  const { origin, pathname } = new URL(location, url);
  return ` to ${origin}${pathname}`;
}

/** As browsers do, leaves bytes of an unknown coding as they are: some servers name the charset there. */
function decoded(bytes: Buffer, contentEncoding: string): Buffer {
  const codings = contentEncoding.toLowerCase().split(',').reverse();
  try {
    return codings.reduce((body, coding) => DECODERS.get(coding.trim())?.(body) ?? body, bytes);
  } catch (error) {
    throw badAnswer(`content encoding: ${codeOf(error)}`);
  }
}

function failureOf(error: unknown): unknown {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof errors.ResponseExceededMaxSizeError) {
    return badAnswer(`more than ${PAGE_LIMIT_BYTES} bytes`);
  }
  if (isNotHttp(error)) return unavailable('answer', 'not HTTP');
  const code = codeOf(error);
  return code === undefined ? error : new ProviderAbsent('connection', code);
}

function isConnectionError(error: unknown): boolean {
  return codeOf(error) !== undefined && !isNotHttp(error);
}

function isNotHttp(error: unknown): boolean {
  return error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
}

/** Unlike the message, the code of a network error holds no address and nothing of the answer. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

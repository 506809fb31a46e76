import { unescape as percentDecode } from 'node:querystring';
import { TaskCancelledError } from 'cockatiel';
import { type Dispatcher, EnvHttpProxyAgent, errors, Pool } from 'undici';
import { MINUTE_MS } from '../../shared/durations.ts';
import { type Proxies, proxyFor, proxyOptions } from '../config/proxies.ts';
import { badAnswer, ProviderAbsent, ProviderFailure, unavailable } from './providerErrors.ts';
import { type ProviderPage, readProviderPage } from './providerPage.ts';

/** The provider's name may have moved to another machine, to which only a new connection leads. */
const CONNECTION_MAX_AGE_MS = MINUTE_MS;

export const NOT_HTTP = 'not HTTP';

export function createProviderRequests(
  url: URL,
  { proxies, ...limits }: { connections: number; connectTimeoutMs: number; proxies: Proxies },
) {
  const dispatcher = dispatcherFor(url, limits, proxies);
  const request = {
    origin: url.origin,
    method: 'GET',
    path: url.pathname + url.search,
    headers: requestHeaders(url),
  } as const;
  let closing: Promise<void> | undefined;

  async function requestWithRetry(signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    try {
      return await dispatcher.request({ ...request, signal });
    } catch (error) {
      if (signal.aborted || !isConnectionError(error)) throw error;
      return dispatcher.request({ ...request, signal });
    }
  }

  return {
    /**
     * Requests the provider's page, twice at most: a kept-alive connection may just have been closed.
     * @throws {ProviderFailure}
     * @throws {TaskCancelledError} when `signal` aborts it: cockatiel's timeout in streamProvider.ts, which makes it a
     *   timeout of the provider
     */
    async fetchPage(signal: AbortSignal): Promise<ProviderPage> {
      try {
        return await pageOf(await requestWithRetry(signal), url);
      } catch (error) {
        if (signal.aborted) throw new TaskCancelledError();
        throw failureOf(error);
      }
    },

    close(): Promise<void> {
      closing ??= dispatcher.close();
      return closing;
    },
  };
}

function dispatcherFor(
  url: URL,
  { connections, connectTimeoutMs }: { connections: number; connectTimeoutMs: number },
  proxies: Proxies,
): Dispatcher {
  const limits = {
    connections,
    connectTimeout: connectTimeoutMs,
    // `signal` limits the time of the whole answer.
    headersTimeout: 0,
    bodyTimeout: 0,
    clientTtl: CONNECTION_MAX_AGE_MS,
  };
  if (proxyFor(url, proxies) === null) return new Pool(url.origin, limits);
  const tls = { timeout: connectTimeoutMs };
  return new EnvHttpProxyAgent({
    ...limits,
    ...proxyOptions(url, proxies),
    proxyTls: tls,
    requestTls: tls,
    // Ends the wait for a proxy that never opens the tunnel, which no signal reaches.
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: connectTimeoutMs }),
  });
}

function requestHeaders(url: URL): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'text/html',
    'accept-encoding': 'identity',
    // A cached page holds a token that ends sooner than the page tells the partner. `pragma` is for caches of HTTP/1.0.
    'cache-control': 'no-cache',
    pragma: 'no-cache',
    'user-agent': 'audio-oficial-premium',
  };
  if (url.username || url.password) {
    const credentials = `${percentDecode(url.username)}:${percentDecode(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }
  return headers;
}

async function pageOf(response: Dispatcher.ResponseData, url: URL): Promise<ProviderPage> {
  const { statusCode, headers, body } = response;
  const refusal = refusalOf(statusCode, headers, url);
  if (refusal) {
    body.on('error', () => {}).destroy();
    throw refusal;
  }
  return readProviderPage(response);
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

function failureOf(error: unknown): unknown {
  if (error instanceof ProviderFailure) return error;
  if (isNotHttp(error)) return unavailable('answer', `${NOT_HTTP}: ${error.message}`);
  const [, proxyStatus] = /^Proxy response \((\d+)\)/.exec((error as Error).message) ?? [];
  if (proxyStatus !== undefined) return new ProviderAbsent('connection', `the proxy answers ${proxyStatus}`);
  const code = codeOf(error);
  return code === undefined ? error : new ProviderAbsent('connection', code);
}

function isConnectionError(error: unknown): boolean {
  return codeOf(error) !== undefined && !isNotHttp(error);
}

/** Their messages are undici's and its parser's own, and repeat nothing of the answer. */
function isNotHttp(error: unknown): error is Error {
  return error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
}

/** The code of a network error holds no address and nothing of the answer; its message may. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

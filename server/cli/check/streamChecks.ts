import { streamUrl } from '../../../shared/streamUrl.ts';
import type { Config, ExternalServices } from '../../config/config.ts';
import { loadDemo } from '../../config/loadDemo.ts';
import { authSignParameterOf } from '../../config/streamBaseUrl.ts';
import { OperatorError } from '../../errors.ts';
import { isBoundToAddress } from '../../streamTokens/ipBoundToken.ts';
import { ProviderFailure, type ProviderFailureKind } from '../../streamTokens/providerErrors.ts';
import { createStreamProvider } from '../../streamTokens/streamProvider.ts';
import type { CheckContext } from './check.ts';

const STREAM_TIMEOUT_MS = 10_000;

/** Stands for the address of the partners' page, which this machine does not know. */
const PAGE_ORIGIN = 'https://page.example';

const PROVIDER_ADVICE: Partial<Record<ProviderFailureKind, string>> = {
  timeout: 'check the host and port in PROVIDER_TOKEN_URL, and firewalls in between',
  connection:
    'check the host and port in PROVIDER_TOKEN_URL, the DNS of this machine, certificates, and firewalls in between',
  credentials: 'check the credentials in PROVIDER_TOKEN_URL, and whether the provider lets this machine in',
  status: 'check the path in PROVIDER_TOKEN_URL',
  answer:
    'check that PROVIDER_TOKEN_URL is the page with the link, and that the link has the parameter in which STREAM_BASE_URL ends',
};

const BOUND_TOKEN =
  "it gives a token, but bound to this server's IP address, so that it plays from nowhere else: ask the provider to leave the address out";
const INSECURE_STREAM =
  ', but STREAM_BASE_URL begins with http://, which a page served by https cannot play: ask the provider for its https:// address';
const READABLE_STREAM = ', which pages may read: set STREAM_CORS=on, so that partners see its level';
/** With STREAM_CORS=on a browser does not even play audio that the page may not read. */
const UNREADABLE_STREAM =
  'pages may not read it (no Access-Control-Allow-Origin), so with STREAM_CORS=on no browser plays it: set STREAM_CORS=off';

type Parts = Pick<ExternalServices, 'providerTokenUrl' | 'streamBaseUrl'>;

/** Asks for a token, which is recorded nowhere, and opens the stream until the first bytes of audio. */
export async function checkStream(
  { external: given, streamCors }: Pick<Config, 'streamCors'> & { external: Partial<Parts> },
  { report, signal }: CheckContext,
): Promise<void> {
  let parts: Parts & { close(): Promise<void> };
  try {
    parts = await completed(given);
  } catch (error) {
    return report('provider', () => Promise.reject(error));
  }
  let token: string | null = null;
  try {
    await report('provider', async () => {
      token = await fetchToken(parts);
      return isBoundToAddress(token) ? { warning: BOUND_TOKEN } : 'it gives a token';
    });
    await report('stream', async () => {
      if (token === null) throw new OperatorError('not tried, since there is no token');
      const found = await listen(streamUrl(parts.streamBaseUrl, token), streamCors, signal);
      const isInsecure =
        given.streamBaseUrl !== undefined && new URL(given.streamBaseUrl).protocol === 'http:';
      return isInsecure ? { warning: found + INSECURE_STREAM } : found;
    });
  } finally {
    await parts.close();
  }
}

async function completed(given: Partial<Parts>): Promise<Parts & { close(): Promise<void> }> {
  const { providerTokenUrl, streamBaseUrl } = given;
  if (providerTokenUrl !== undefined && streamBaseUrl !== undefined) {
    return { providerTokenUrl, streamBaseUrl, close: async () => {} };
  }
  const { startDemoProvider } = await loadDemo(
    () => import('../../demo/demoProvider.ts'),
    ['PROVIDER_TOKEN_URL', 'STREAM_BASE_URL'],
  );
  const demo = await startDemoProvider({ host: '127.0.0.1', port: 0, linkBaseUrl: streamBaseUrl });
  return {
    providerTokenUrl: providerTokenUrl ?? demo.tokenUrl,
    streamBaseUrl: streamBaseUrl ?? demo.streamBaseUrl,
    close: () => demo.close(),
  };
}

async function fetchToken({ providerTokenUrl, streamBaseUrl }: Parts): Promise<string> {
  const provider = createStreamProvider({
    tokenUrl: providerTokenUrl,
    authSignParameter: authSignParameterOf(streamBaseUrl),
    log: { warn() {} },
  });
  try {
    return await provider.fetchToken();
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    const reason = error.cause instanceof Error ? error.cause.message : error.code;
    throw new OperatorError(`it gives no token (${reason}): ${PROVIDER_ADVICE[error.kind]}`, {
      cause: error,
    });
  } finally {
    await provider.close();
  }
}

async function listen(url: string, streamCors: boolean, stopped: AbortSignal): Promise<string> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(STREAM_TIMEOUT_MS)]);
  try {
    const response = await fetch(url, { signal, headers: { origin: PAGE_ORIGIN } });
    const type =
      /^[\w.+-]+\/[\w.+-]+/.exec(response.headers.get('content-type') ?? '')?.[0] ?? 'no content type';
    const end = new URL(response.url);
    const fault = faultOf(response.status, type) ?? routeFault(new URL(url), end);
    const isReadable = ['*', PAGE_ORIGIN].includes(response.headers.get('access-control-allow-origin') ?? '');
    if (fault !== null || (streamCors && !isReadable)) {
      await response.body?.cancel();
      throw new OperatorError(fault ?? UNREADABLE_STREAM);
    }
    for await (const chunk of response.body ?? []) {
      if (chunk.length === 0) continue;
      const redirect = end.host === new URL(url).host ? '' : ` after a redirect to ${end.host}`;
      return `it sends audio (${type})${redirect}${isReadable && !streamCors ? READABLE_STREAM : ''}`;
    }
    throw new OperatorError('it ends without audio: ask the provider whether it is on air');
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    if (signal.aborted) {
      throw new OperatorError(
        `no audio within ${STREAM_TIMEOUT_MS / 1_000} s: check STREAM_BASE_URL and firewalls, and ask the provider whether it is on air`,
      );
    }
    const { code = 'no HTTP' } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    throw new OperatorError(
      `it cannot be opened (${code}): check the host and port in STREAM_BASE_URL, DNS, certificates, and firewalls in between`,
    );
  }
}

function faultOf(status: number, type: string): string | null {
  if (status === 401 || status === 403) {
    return (
      `it refuses the token (status ${status}): PROVIDER_TOKEN_URL and STREAM_BASE_URL must be of the same stream, ` +
      "and the provider must not bind tokens to another machine's address"
    );
  }
  if (status !== 200) return `it answers with status ${status}: check the path in STREAM_BASE_URL`;
  if (/^text\/|json/.test(type)) return `it answers with ${type}, which is not audio: check STREAM_BASE_URL`;
  return null;
}

function routeFault(start: URL, end: URL): string | null {
  if (start.protocol !== 'https:' || end.protocol === 'https:') return null;
  return `it redirects from https to http (${end.host}), which no page may play: ask the provider for https`;
}

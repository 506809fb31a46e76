import { streamUrl } from '../../../shared/streamUrl.ts';
import type { Config, ExternalServices } from '../../config/config.ts';
import { loadDemo } from '../../config/loadDemo.ts';
import { authSignParameterOf } from '../../config/streamBaseUrl.ts';
import { OperatorError } from '../../errors.ts';
import { isBoundToAddress } from '../../streamTokens/ipBoundToken.ts';
import { ProviderFailure, type ProviderFailureKind } from '../../streamTokens/providerErrors.ts';
import { createStreamProvider } from '../../streamTokens/streamProvider.ts';
import type { CheckContext } from './check.ts';
import { tryStream } from './openStream.ts';

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
  'STREAM_BASE_URL begins with http://, which a page served by https cannot play: ask the provider for its https:// address';

type Parts = Pick<ExternalServices, 'providerTokenUrl' | 'streamBaseUrl'>;

/** Asks for a token, which is recorded nowhere, and opens the stream. */
export async function checkStream(
  { external: given, streamCors }: Pick<Config, 'streamCors'> & { external: Partial<Parts> },
  { report, signal, streamTimes }: CheckContext,
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
      const url = streamUrl(parts.streamBaseUrl, token);
      const { found, warnings } = await tryStream(url, { streamCors, stopped: signal, times: streamTimes });
      if (given.streamBaseUrl?.startsWith('http:')) warnings.push(INSECURE_STREAM);
      return warnings.length === 0 ? found : { warning: `${found}, but ${warnings.join('; ')}` };
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

import { setTimeout as wait } from 'node:timers/promises';
import { streamUrl } from '../../../shared/streamUrl.ts';
import { authSignParameterOf, CREDENTIALS_IN_ADDRESS, holdsCredentials } from '../../config/addresses.ts';
import { type Config, loadDemo, type RequiredSettings } from '../../config/config.ts';
import { type Proxies, proxyFor, proxyName } from '../../config/proxies.ts';
import { OperatorError } from '../../errors.ts';
import { ProviderFailure, type ProviderFailureKind } from '../../streamTokens/providerErrors.ts';
import { NOT_HTTP } from '../../streamTokens/providerRequest.ts';
import { createStreamProvider, TOKEN_MINUTES, type TokenFault } from '../../streamTokens/streamProvider.ts';
import {
  isBoundToAddress,
  OLD_TOKEN_SIGNS,
  type OldTokenSign,
  validMinutesOf,
} from '../../streamTokens/tokenFaults.ts';
import type { CheckContext } from './checkContext.ts';
import { certificateAdvice, tryStream } from './streamCheck.ts';

const PROVIDER_ADVICE: Partial<Record<ProviderFailureKind, string>> = {
  timeout: 'check the host and port in PROVIDER_TOKEN_URL, and firewalls in between',
  connection:
    'check the host and port in PROVIDER_TOKEN_URL, the DNS of this machine, certificates, and firewalls in between',
  credentials: 'check the credentials in PROVIDER_TOKEN_URL, and whether the provider lets this machine in',
  answer:
    'the link must stand in the first 64 kB of the page, and in an <a href>, not in a script; check that PROVIDER_TOKEN_URL is the page with the link, and that the link has the parameter in which STREAM_BASE_URL ends',
};

const UNREADABLE_CODING =
  'the server asks for a page that is not compressed (Accept-Encoding: identity): ask the provider to send it so, or by gzip, deflate or br';
const BROKEN_HTTP =
  'if PROVIDER_TOKEN_URL has the right host and port, tell the provider these words: its server breaks the rules of HTTP/1.1, which browsers and curl overlook';
const OLD_TOKEN =
  'so that partners are told of more time than it has: ask the provider to answer this page with Cache-Control: no-store, and leave it out of caches in between';

const BOUND_TOKEN =
  "it gives a token, but bound to this server's IP address, so that it plays from nowhere else: ask the provider to leave the address out";

const OLD_TOKEN_WORDS: Record<OldTokenSign, string> = {
  age: 'its page comes from a cache (Age)',
  server_time: 'it was made minutes ago by its server_time, or a clock is wrong',
  repeated: 'the same one twice',
};
const otherLifetime = (minutes: number) =>
  minutes === TOKEN_MINUTES
    ? []
    : [
        `it gives a token, but for ${minutes} minutes, while partners are told ${TOKEN_MINUTES}: ask the provider for ${TOKEN_MINUTES}`,
      ];

type Parts = Pick<RequiredSettings, 'providerTokenUrl' | 'streamBaseUrl'>;

export async function checkProviderAndStream(
  { given, streamCors, proxies }: Pick<Config, 'streamCors' | 'proxies'> & { given: Partial<Parts> },
  { checkPart, clock, streamTimes, pageOrigins }: CheckContext,
): Promise<void> {
  let parts: Parts & { close(): Promise<void> };
  try {
    parts = await completed(given);
  } catch (error) {
    return checkPart('provider', () => Promise.reject(error));
  }
  let token: string | null = null;
  try {
    await checkPart('provider', async () => {
      const { askAgainAfterMs } = streamTimes;
      const asked = await askTwice(parts, { clock, askAgainAfterMs, proxies });
      token = asked.token;
      const warnings = [
        ...(isBoundToAddress(token) ? [BOUND_TOKEN] : []),
        ...otherLifetime(validMinutesOf(token) ?? TOKEN_MINUTES),
        ...asked.signs.map((sign) => `it gives a token, but ${OLD_TOKEN_WORDS[sign]}, ${OLD_TOKEN}`),
      ];
      const through = throughProxy(parts.providerTokenUrl, proxies);
      return warnings.length === 0
        ? `it gives a token${through}`
        : { warning: warnings.join('; ') + through };
    });
    await checkPart('stream', async () => {
      if (holdsCredentials(parts.streamBaseUrl)) throw new OperatorError(CREDENTIALS_IN_ADDRESS);
      if (token === null) throw new OperatorError('not tried, since there is no token');
      const url = streamUrl(parts.streamBaseUrl, token);
      const { found, warnings } = await tryStream(url, {
        streamCors,
        pageOrigins,
        times: streamTimes,
        proxies,
      }).catch((error) => explainByProxy(error, url, proxies));
      const through = throughProxy(url, proxies);
      return warnings.length === 0
        ? found + through
        : { warning: `${found}${through}, but ${warnings.join('; ')}` };
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
    [
      ...(providerTokenUrl === undefined ? ['PROVIDER_TOKEN_URL'] : []),
      ...(streamBaseUrl === undefined ? ['STREAM_BASE_URL'] : []),
    ],
  );
  const demo = await startDemoProvider({ host: '127.0.0.1', port: 0, linkBaseUrl: streamBaseUrl });
  return {
    providerTokenUrl: providerTokenUrl ?? demo.tokenUrl,
    streamBaseUrl: streamBaseUrl ?? demo.streamBaseUrl,
    close: () => demo.close(),
  };
}

async function askTwice(
  { providerTokenUrl, streamBaseUrl }: Parts,
  { clock, askAgainAfterMs, proxies }: { clock: () => Date; askAgainAfterMs: number; proxies: Proxies },
): Promise<{ token: string; signs: OldTokenSign[] }> {
  const faults = new Set<TokenFault>();
  const provider = createStreamProvider({
    tokenUrl: providerTokenUrl,
    authSignParameter: authSignParameterOf(streamBaseUrl),
    log: { warn() {} },
    observer: { onAsked() {}, onFailure() {}, onTokenFault: (fault) => faults.add(fault) },
    clock,
    proxies,
  });
  try {
    const token = await provider.fetchToken();
    await wait(askAgainAfterMs);
    await provider.fetchToken();
    return { token, signs: OLD_TOKEN_SIGNS.filter((sign) => faults.has(sign)) };
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    const reason = error.cause instanceof Error ? error.cause.message : error.code;
    const failure = new OperatorError(`it gives no token (${reason}): ${adviceOn(error.kind, reason)}`, {
      cause: error,
    });
    return explainByProxy(failure, providerTokenUrl, proxies);
  } finally {
    await provider.close();
  }
}

function throughProxy(address: string, proxies: Proxies): string {
  const proxy = proxyFor(address, proxies);
  return proxy === null ? '' : `, through ${proxyName(proxy)}`;
}

function explainByProxy(error: unknown, address: string, proxies: Proxies): never {
  const proxy = proxyFor(address, proxies);
  if (proxy === null || !(error instanceof OperatorError)) throw error;
  const { host } = new URL(address);
  throw new OperatorError(
    `${error.message}; asked through ${proxyName(proxy)}: check that it lets this server reach ${host}, or name that in NO_PROXY`,
    { cause: error },
  );
}

function adviceOn(kind: ProviderFailureKind, reason: string): string {
  if (reason.startsWith('content encoding')) return UNREADABLE_CODING;
  if (reason.startsWith(NOT_HTTP)) return BROKEN_HTTP;
  return certificateAdvice(reason) ?? PROVIDER_ADVICE[kind] ?? statusAdvice(reason);
}

function statusAdvice(reason: string): string {
  if (reason.startsWith('status 5')) return 'the provider has a fault of its own: tell it';
  if (reason.startsWith('status 3')) {
    return 'redirects are not followed, so write the whole address to which it leads into PROVIDER_TOKEN_URL';
  }
  return 'check the path in PROVIDER_TOKEN_URL';
}

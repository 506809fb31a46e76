import { SECOND_MS } from '../../shared/durations.ts';
import type { TokenClient } from '../../shared/generated/schemaEnums.ts';
import { streamUrl } from '../../shared/streamUrl.ts';
import { TOKEN_LIFETIME_MS } from '../../shared/tokenLifetime.ts';
import { CodedError } from '../errors.ts';
import { ipAddressOf } from '../http/ipAddress.ts';
import { KEY_REFUSED, SESSION_ENDED, type Session } from '../signIn/sessions.ts';
import { ProviderFailure } from './providerErrors.ts';
import type { StreamProvider } from './streamProvider.ts';
import type { TokenLedger } from './tokenLedger.ts';
import type { LimitTokens } from './tokenLimits.ts';

export type Stream = { baseUrl: string; lifetimeSeconds: number };

export type StreamToken = {
  id: string;
  token: string;
  streamUrl: string;
  company: string;
  expiry: Date;
  lifetimeSeconds: number;
};

export function streamAt(baseUrl: string): Stream {
  return { baseUrl, lifetimeSeconds: TOKEN_LIFETIME_MS / SECOND_MS };
}

export type TokenServices = {
  limitTokens: LimitTokens;
  provider: StreamProvider;
  stream: Stream;
  ledger: TokenLedger;
  clock: () => Date;
};
type TokenRequest = { session: Session; address: string; client: TokenClient };

/**
 * Creates a token for the session's company (specification, sections 4 and 7). Before it returns, it records the
 * outcome of each request that reached the provider; a token that cannot be recorded, or whose session has ended, is
 * not handed out.
 * @throws {CodedError} `UNAUTHENTICATED`, `RATE_LIMITED`, `PROVIDER_UNAVAILABLE`, `PROVIDER_BAD_ANSWER`,
 *   `DATABASE_UNAVAILABLE`
 */
export function createStreamToken(services: TokenServices, request: TokenRequest): Promise<StreamToken> {
  const { session, client } = request;
  const { accountId, key } = session;
  return services.limitTokens({ accountId, client, keyName: key?.name ?? null }, () =>
    askAndRecord(services, request),
  );
}

async function askAndRecord(
  { provider, stream, ledger, clock }: TokenServices,
  { session, address, client }: TokenRequest,
): Promise<StreamToken> {
  const { id: sessionId, accountId, company, key } = session;
  const caller = {
    sessionId,
    accountId,
    keyName: key?.name ?? null,
    address: ipAddressOf(address),
    client,
  };
  const token = await provider.fetchToken().catch(async (error: unknown) => {
    if (error instanceof ProviderFailure && error.wasAsked) {
      await ledger.record({ ...caller, createdAt: clock(), outcome: error.code });
    }
    throw error;
  });
  const createdAt = clock();
  const expiry = new Date(createdAt.getTime() + TOKEN_LIFETIME_MS);
  const { id, isSessionOpen } = await ledger.record({ ...caller, createdAt, outcome: { token, expiry } });
  if (!isSessionOpen) {
    const { message, reason } = key === null ? SESSION_ENDED : KEY_REFUSED;
    throw new CodedError('UNAUTHENTICATED', message, { reason });
  }
  return {
    id,
    token,
    streamUrl: streamUrl(stream.baseUrl, token),
    company,
    expiry,
    lifetimeSeconds: stream.lifetimeSeconds,
  };
}

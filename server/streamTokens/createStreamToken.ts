import { SECOND_MS } from '../../shared/durations.ts';
import type { TokenClient } from '../../shared/generated/schemaEnums.ts';
import { streamUrl } from '../../shared/streamUrl.ts';
import { TOKEN_LIFETIME_MS } from '../../shared/tokenLifetime.ts';
import { type Caller, KEY_REFUSED, SESSION_ENDED } from '../accounts/caller.ts';
import { CodedError } from '../errors.ts';
import { ipAddressOf } from '../http/ipAddress.ts';
import { ProviderFailure } from './providerErrors.ts';
import type { StreamProvider } from './streamProvider.ts';
import type { TokenLedger } from './tokenLedger.ts';
import type { LimitTokens } from './tokenLimits.ts';

export type Stream = { baseUrl: string; lifetimeSeconds: number };

type StreamToken = {
  id: string;
  token: string;
  streamUrl: string;
  company: string;
  expiry: Date;
  lifetimeSeconds: number;
};

export type TokenServices = {
  limitTokens: LimitTokens;
  provider: StreamProvider;
  stream: Stream;
  ledger: TokenLedger;
  clock: () => Date;
};
type TokenRequest = { caller: Caller; address: string; client: TokenClient };

/**
 * Creates a token for the caller's company (specification, sections 4 and 7). If the provider was asked, also in vain,
 * the outcome is recorded first. A token that cannot be recorded is not handed out, nor one whose caller's session or
 * key has ended meanwhile.
 * @throws {CodedError} `UNAUTHENTICATED`, `RATE_LIMITED`, `PROVIDER_UNAVAILABLE`, `PROVIDER_BAD_ANSWER`,
 *   `DATABASE_UNAVAILABLE`
 */
export function createStreamToken(services: TokenServices, request: TokenRequest): Promise<StreamToken> {
  const { caller, client } = request;
  const { accountId, key } = caller;
  return services.limitTokens({ accountId, client, keyName: key?.name ?? null }, () =>
    askAndRecord(services, request),
  );
}

export function streamAt(baseUrl: string): Stream {
  return { baseUrl, lifetimeSeconds: TOKEN_LIFETIME_MS / SECOND_MS };
}

async function askAndRecord(
  { provider, stream, ledger, clock }: TokenServices,
  { caller, address, client }: TokenRequest,
): Promise<StreamToken> {
  const { id: callerId, accountId, company, key } = caller;
  const attempt = {
    callerId,
    accountId,
    keyName: key?.name ?? null,
    address: ipAddressOf(address),
    client,
  };
  const token = await provider.fetchToken().catch(async (error: unknown) => {
    if (error instanceof ProviderFailure && error.wasAsked) {
      await ledger.record({ ...attempt, createdAt: clock(), outcome: error.code });
    }
    throw error;
  });
  const createdAt = clock();
  const expiry = new Date(createdAt.getTime() + TOKEN_LIFETIME_MS);
  const { id, isStillValid } = await ledger.record({ ...attempt, createdAt, outcome: { token, expiry } });
  if (!isStillValid) {
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

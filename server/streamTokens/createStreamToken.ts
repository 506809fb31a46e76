import { streamUrl } from '../../shared/streamUrl.ts';
import { TOKEN_LIFETIME_MS } from '../../shared/tokenLifetime.ts';
import type { CodedError } from '../errors.ts';
import { ipAddressOf } from '../http/ipAddress.ts';
import type { Session } from '../signIn/sessions.ts';
import type { StreamProvider } from './provider.ts';
import { isRecordedFailure, type RecordedFailure, type TokenLedger } from './tokenLedger.ts';

/** The fixed part of the official stream. */
export type Stream = { baseUrl: string; lifetimeSeconds: number };

export type StreamToken = {
  token: string;
  streamUrl: string;
  company: string;
  expiry: Date;
  lifetimeSeconds: number;
};

/** The stream at a base address that ends in the auth-sign parameter and `=`. */
export function streamAt(baseUrl: string): Stream {
  return { baseUrl, lifetimeSeconds: TOKEN_LIFETIME_MS / 1000 };
}

/**
 * A new token for the session's company (specification, sections 3, 4 and 7). What became of it, a failure of the provider
 * too, is in the ledger before anybody is told; a token that cannot be recorded is not handed out.
 * @throws {CodedError} `PROVIDER_UNAVAILABLE`, `PROVIDER_BAD_ANSWER`, `DATABASE_UNAVAILABLE`
 */
export async function createStreamToken(
  world: { provider: StreamProvider; stream: Stream; ledger: TokenLedger; clock: () => Date },
  asking: { session: Session; address: string; client: 'BROWSER' | 'TOOL' },
): Promise<StreamToken> {
  const { session, client } = asking;
  const answer = await tokenOrFailure(world.provider);
  const at = world.clock();
  const expiry = new Date(at.getTime() + TOKEN_LIFETIME_MS);
  const became = typeof answer === 'string' ? { token: answer, expiry } : answer.code;
  await world.ledger.record({
    accountId: session.id,
    address: ipAddressOf(asking.address),
    client,
    at,
    became,
  });
  if (typeof answer !== 'string') throw answer;
  return {
    token: answer,
    streamUrl: streamUrl(world.stream.baseUrl, answer),
    company: session.company,
    expiry,
    lifetimeSeconds: world.stream.lifetimeSeconds,
  };
}

async function tokenOrFailure(
  provider: StreamProvider,
): Promise<string | (CodedError & { code: RecordedFailure })> {
  try {
    return await provider.fetchToken();
  } catch (error) {
    if (isRecordedFailure(error)) return error;
    throw error;
  }
}

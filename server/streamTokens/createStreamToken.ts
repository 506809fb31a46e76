import { TOKEN_LIFETIME_MS } from '../../shared/tokenLifetime.ts';
import type { Session } from '../sessions/sessions.ts';
import type { StreamProvider } from './provider.ts';

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
 * A new token for the session's company (specification, sections 3, 4 and 7).
 * @throws {CodedError} `PROVIDER_UNAVAILABLE`, `PROVIDER_BAD_ANSWER`
 */
export async function createStreamToken(
  world: { provider: StreamProvider; stream: Stream; clock: () => Date },
  session: Session,
): Promise<StreamToken> {
  const token = await world.provider.fetchToken();
  return {
    token,
    streamUrl: world.stream.baseUrl + token,
    company: session.company,
    expiry: new Date(world.clock().getTime() + TOKEN_LIFETIME_MS),
    lifetimeSeconds: world.stream.lifetimeSeconds,
  };
}

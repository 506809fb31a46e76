import type { Logger } from 'pino';
import type { Config, ExternalServices } from '../config/config.ts';
import { authSignParameterOf } from '../config/streamBaseUrl.ts';
import type { Database } from '../database/database.ts';
import type { Services } from '../graphql/requestContext.ts';
import type { Metrics } from '../observing/metrics.ts';
import { createKeySessions } from '../signIn/keySessions.ts';
import { createSessions } from '../signIn/sessions.ts';
import { signingKeys } from '../signIn/signedJwt.ts';
import { createSignIn } from '../signIn/signIn.ts';
import { streamAt } from '../streamTokens/createStreamToken.ts';
import { createTokenPages } from '../streamTokens/ledgerPages.ts';
import { createStreamProvider } from '../streamTokens/streamProvider.ts';
import { createTokenLedger } from '../streamTokens/tokenLedger.ts';
import { createTokenLimits, type TokenLimits } from '../streamTokens/tokenLimits.ts';
import { signInWarnings } from './startWarnings.ts';

export function createServices({
  config,
  external: { jwtSecret, providerTokenUrl, streamBaseUrl },
  database,
  metrics,
  log,
  tokenLimits,
  clock,
}: {
  config: Pick<Config, 'previousJwtSecret'>;
  external: ExternalServices;
  database: Database;
  metrics: Metrics | null;
  log: Logger;
  tokenLimits: TokenLimits | undefined;
  clock: () => Date;
}): Services {
  const { prisma } = database;
  const authSignParameter = authSignParameterOf(streamBaseUrl);
  if (authSignParameter === null) throw new Error('The configuration was not checked');
  const provider = createStreamProvider({
    tokenUrl: providerTokenUrl,
    authSignParameter,
    log,
    observer: metrics?.provider,
  });
  const keySessions = createKeySessions(prisma, clock);
  metrics?.watch({ database, provider, keySessions });
  const keys = signingKeys(jwtSecret, config.previousJwtSecret);
  const sessions = createSessions(prisma, keys, clock);
  const observer = signInWarnings(log, metrics, clock);
  return {
    signIn: createSignIn({ prisma, sessions, keys, clock, observer }),
    sessions,
    keySessions,
    provider,
    stream: streamAt(streamBaseUrl),
    ledger: createTokenLedger(prisma),
    readTokenPage: createTokenPages(prisma),
    limitTokens: createTokenLimits(tokenLimits),
    clock,
  };
}

import { readFileSync } from 'node:fs';
import path from 'node:path';
import fastifyCookie from '@fastify/cookie';
import fastify, { type FastifyInstance } from 'fastify';
import { createSchema } from 'graphql-yoga';
import { pino } from 'pino';
import { PROJECT_ROOT } from '../../../server/config/paths.ts';
import { openDatabase } from '../../../server/database/database.ts';
import type { RequestContext, Services } from '../../../server/graphql/requestContext.ts';
import { resolvers } from '../../../server/graphql/resolvers.ts';
import { createSessions } from '../../../server/signIn/sessions.ts';
import { signingKeys } from '../../../server/signIn/signedJwt.ts';
import { createSignIn } from '../../../server/signIn/signIn.ts';
import { streamAt } from '../../../server/streamTokens/createStreamToken.ts';
import { createStreamProvider } from '../../../server/streamTokens/provider.ts';
import { createTokenLedger } from '../../../server/streamTokens/tokenLedger.ts';

/** Our services on a bare Fastify, for another GraphQL server to run our resolvers with. */
export async function ourServices(): Promise<{ app: FastifyInstance; services: Services }> {
  const { DATABASE_URL = '', JWT_SECRET = '', PROVIDER_TOKEN_URL = '', STREAM_BASE_URL = '' } = process.env;
  const database = openDatabase(DATABASE_URL);
  const keys = signingKeys(JWT_SECRET);
  const clock = () => new Date();
  const sessions = createSessions(database.prisma, keys, clock);
  const log = pino({ level: 'silent' });
  const app = fastify();
  await app.register(fastifyCookie);
  app.decorateRequest('facts');
  app.addHook('onRequest', async (request) => {
    request.facts = {};
  });
  return {
    app,
    services: {
      signIn: createSignIn({ prisma: database.prisma, sessions, keys, clock }),
      sessions,
      provider: createStreamProvider({ tokenUrl: PROVIDER_TOKEN_URL, authSignParameter: 'wmsAuthSign', log }),
      stream: streamAt(STREAM_BASE_URL),
      ledger: createTokenLedger(database.prisma),
      clock,
    },
  };
}

/** Our schema with our resolvers, executable; `More` is what the server puts into the context besides. */
export function ourSchema<More extends object = object>() {
  const typeDefs = readFileSync(path.join(PROJECT_ROOT, 'schema.graphql'), 'utf8');
  return createSchema<More & RequestContext>({ typeDefs, resolvers });
}

/** Listens on any free port of this machine and says where, as `startProgram` wants it. */
export async function listenAndTell(app: FastifyInstance): Promise<void> {
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  process.stdout.write(`${JSON.stringify({ address })}\n`);
  process.once('SIGTERM', () => process.exit(0));
}

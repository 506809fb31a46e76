import { readFileSync } from 'node:fs';
import path from 'node:path';
import fastifyCookie from '@fastify/cookie';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { createSchema, createYoga } from 'graphql-yoga';
import { pino } from 'pino';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { openDatabase } from '../../server/database/database.ts';
import { createRequestContext, type RequestContext } from '../../server/graphql/requestContext.ts';
import { resolvers } from '../../server/graphql/resolvers.ts';
import { createServices, type Services } from '../../server/services.ts';
import { jwtSecrets } from '../../server/signIn/signedJwt.ts';
import { createStreamProvider } from '../../server/streamTokens/streamProvider.ts';
import { listen } from '../listen.ts';

/** GraphQL Yoga with our resolvers and services on a bare Fastify, without limits, security headers or log. */
const { DATABASE_URL = '', JWT_SECRET = '', PROVIDER_TOKEN_URL = '', STREAM_BASE_URL = '' } = process.env;
const database = openDatabase(DATABASE_URL);
const services: Services = {
  ...createServices({
    prisma: database.prisma,
    secrets: jwtSecrets(JWT_SECRET),
    provider: createStreamProvider({
      tokenUrl: PROVIDER_TOKEN_URL,
      authSignParameter: 'wmsAuthSign',
      log: pino({ level: 'silent' }),
    }),
    streamBaseUrl: STREAM_BASE_URL,
    clock: () => new Date(),
  }),
  limitTokens: (_requester, work) => work(),
};

/** Yoga calls its own request `request`. */
type ServerContext = { fastifyRequest: FastifyRequest; reply: FastifyReply };

const yoga = createYoga<ServerContext, RequestContext>({
  schema: createSchema<ServerContext & RequestContext>({
    typeDefs: readFileSync(path.join(PROJECT_ROOT, 'schema.graphql'), 'utf8'),
    resolvers,
  }),
  context: ({ fastifyRequest, reply }) => createRequestContext(services, fastifyRequest, reply),
  logging: false,
});

const app = fastify();
await app.register(fastifyCookie);
app.decorateRequest('logFields');
app.addHook('onRequest', async (request) => {
  request.logFields = {};
});
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', {}, (_request, _payload, done) => done(null));
app.route({
  method: 'POST',
  url: yoga.graphqlEndpoint,
  handler: (request, reply) =>
    yoga.handleNodeRequestAndResponse(request, reply, { fastifyRequest: request, reply }),
});
await app.ready();
listen(app.server);

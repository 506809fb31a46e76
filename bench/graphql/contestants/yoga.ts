import type { FastifyReply, FastifyRequest } from 'fastify';
import { createYoga } from 'graphql-yoga';
import { createRequestContext, type RequestContext } from '../../../server/graphql/requestContext.ts';
import { listenAndTell, ourSchema, ourServices } from './sameResolvers.ts';

/** `request` would be the one that Yoga makes. */
type Fastify = { asked: FastifyRequest; reply: FastifyReply };

const { app, services } = await ourServices();
const yoga = createYoga<Fastify, RequestContext>({
  schema: ourSchema<Fastify>(),
  context: ({ asked, reply }) => createRequestContext(services, asked, reply),
  logging: false,
});
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', {}, (_request, _payload, done) => done(null));
app.route({
  method: 'POST',
  url: yoga.graphqlEndpoint,
  handler: (request, reply) => yoga.handleNodeRequestAndResponse(request, reply, { asked: request, reply }),
});
await listenAndTell(app);

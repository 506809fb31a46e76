import mercurius from 'mercurius';
import { createRequestContext } from '../../../server/graphql/requestContext.ts';
import { listenAndTell, ourSchema, ourServices } from './sameResolvers.ts';

const { app, services } = await ourServices();
await app.register(mercurius, {
  schema: ourSchema(),
  context: (request, reply) => createRequestContext(services, request, reply),
  jit: process.env.JIT === 'on' ? 1 : 0,
});
await listenAndTell(app);

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DASHBOARD_PATH, LOGIN_PATH } from '../../shared/paths.ts';
import type { FirebaseConfig } from '../config/firebaseConfig.ts';
import { refusal } from '../errors.ts';
import { createConfiguredPage } from './configuredPage.ts';

const PAGE = 'index.html';
/** The page is answered at the paths of its screens alone, and what was compressed in its original's place. */
const NO_PATHS = [PAGE, '**/*.br', '**/*.gz'];
const YEAR_SECONDS = 31_536_000;

type SendPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/**
 * Serves the built client: its screens by their paths, and its not-found page, with status 404, for any other. The page is
 * the one that was built, plus the Firebase configuration where there is one.
 */
export async function serveClient(
  app: FastifyInstance,
  folder: string,
  firebaseConfig: FirebaseConfig | null,
): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    index: false,
    wildcard: false,
    preCompressed: true,
    globIgnore: NO_PATHS,
    cacheControl: false,
    setHeaders(response, file) {
      response.setHeader('vary', 'accept-encoding');
      // The build names what it hashes `assets/…`; the page itself must always be asked for anew.
      const immutable = /[\\/]assets[\\/]/.test(file);
      response.setHeader(
        'cache-control',
        immutable ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
      );
    },
  });
  const sendPage: SendPage =
    firebaseConfig === null
      ? (_request, reply) => reply.sendFile(PAGE)
      : createConfiguredPage(await readFile(path.join(folder, PAGE), 'utf8'), firebaseConfig);
  app.get(LOGIN_PATH, sendPage);
  app.get(DASHBOARD_PATH, sendPage);
  app.get(`${DASHBOARD_PATH}/`, (_request, reply) => reply.redirect(DASHBOARD_PATH, 308));
  app.setNotFoundHandler((request, reply) => {
    reply.code(404);
    return takesAPage(request) ? sendPage(request, reply) : notFound(reply);
  });
}

/** The answer to a path that is nobody's, to those who do not look at pages. */
export function notFound(reply: FastifyReply) {
  return reply.code(404).send(refusal('Not found', 'NOT_FOUND'));
}

function takesAPage(request: FastifyRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  return /text\/html|\*\/\*/.test(request.headers.accept ?? '*/*');
}

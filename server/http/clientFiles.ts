import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DASHBOARD_PATH, DOC_PATHS, GRAPHQL_PATH, LOGIN_PATH } from '../../shared/paths.ts';
import { refusal } from '../errors.ts';
import { createConfiguredPage, type PageConfig } from './configuredPage.ts';
import { wantsPage } from './wantsPage.ts';

const PAGE = 'index.html';
const NO_PATHS = ['**/*.html', '**/*.br', '**/*.gz'];
const CONDITIONS = ['if-none-match', 'if-match', 'if-modified-since', 'if-unmodified-since', 'range'];
const YEAR_SECONDS = 31_536_000;

type SendPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

export async function serveClient(
  app: FastifyInstance,
  folder: string,
  pageConfig: PageConfig,
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
      // Files in assets/ have a hash in their name; the browser must ask for the page each time.
      const immutable = /[\\/]assets[\\/]/.test(file);
      response.setHeader(
        'cache-control',
        immutable ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
      );
    },
  });
  const configuredPage = createConfiguredPage(await readFile(path.join(folder, PAGE), 'utf8'), pageConfig);
  const sendPage: SendPage = configuredPage ?? ((_request, reply) => reply.sendFile(PAGE));
  app.get(LOGIN_PATH, sendPage);
  app.get(DASHBOARD_PATH, sendPage);
  app.get(`${DASHBOARD_PATH}/`, (_request, reply) => reply.redirect(DASHBOARD_PATH, 308));
  for (const route of Object.values(DOC_PATHS)) {
    app.get(route, (_request, reply) => reply.sendFile(`${route.slice(1)}.html`));
  }
  app.setNotFoundHandler((request, reply) => {
    reply.code(404);
    if (!wantsPage(request)) return notFound(reply);
    // Ignore conditions and ranges: a page that does not exist is sent whole, never 304 or a part of it.
    for (const header of CONDITIONS) delete request.headers[header];
    return configuredPage?.(request, reply) ?? reply.sendFile(PAGE, { etag: false, lastModified: false });
  });
}

export function notFound(reply: FastifyReply) {
  return reply
    .code(404)
    .send(
      refusal(
        `Nothing answers this method and path: send operations by POST to ${GRAPHQL_PATH}`,
        'NOT_FOUND',
      ),
    );
}

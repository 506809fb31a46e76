import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import fastifyStatic from '@fastify/static';
import { escapeAttribute } from 'entities';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PAGE_META } from '../../shared/pageMeta.ts';
import { DASHBOARD_PATH, DOC_PATHS, GRAPHQL_PATH, LOGIN_PATH } from '../../shared/paths.ts';
import type { Config } from '../config/config.ts';
import { refusal } from '../errors.ts';
import { wantsPage } from './wantsPage.ts';

const PAGE = 'index.html';
const NO_PATHS = ['**/*.html', '**/*.br', '**/*.gz'];
const CONDITIONS = ['if-none-match', 'if-match', 'if-modified-since', 'if-unmodified-since', 'range'];
const YEAR_SECONDS = 31_536_000;

type SendPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

export type PageConfig = Pick<Config, 'firebaseConfig' | 'supportContact' | 'streamCors'>;

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

/**
 * Puts the configuration into the built page, in `<meta>` elements: the Content-Security-Policy forbids inline scripts.
 * Null if nothing is configured.
 */
function createConfiguredPage(builtPage: string, { firebaseConfig, supportContact, streamCors }: PageConfig) {
  const contents = {
    [PAGE_META.firebaseConfig]: firebaseConfig && JSON.stringify(firebaseConfig),
    [PAGE_META.supportContact]: supportContact,
    [PAGE_META.streamCors]: streamCors ? 'on' : null,
  };
  const metas = Object.entries(contents).flatMap(([name, content]) =>
    content === null ? [] : [`<meta name="${name}" content="${escapeAttribute(content)}" />\n`],
  );
  if (metas.length === 0) return null;
  const page = builtPage.replace('</head>', () => `${metas.join('')}</head>`);
  const compressed = new Map([
    ['br', brotliCompressSync(page)],
    ['gzip', gzipSync(page)],
  ]);
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
    });
    const coding = negotiate(request.headers['accept-encoding'] ?? '', [...compressed.keys()]);
    if (coding === null) return reply.send(page);
    return reply.header('content-encoding', coding).send(compressed.get(coding));
  };
}

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createConfiguredPage } from './configuredPage.ts';
import { refusal } from './errors.ts';
import type { FirebaseConfig } from './firebaseConfig.ts';

const PAGE = 'index.html';
const DASHBOARD = '/dashboard';
/** What the client imports only for the dashboard (client/loadDashboard.ts), as the build names it. */
const DASHBOARD_CHUNK = /^(DashboardPage|session)-[\w-]+\.js$/;
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
  app.get('/', sendPage);
  const preload = await dashboardPreload(folder);
  app.get(DASHBOARD, (request, reply) => sendPage(request, reply.headers(preload)));
  app.get(`${DASHBOARD}/`, (_request, reply) => reply.redirect(DASHBOARD, 308));
  app.setNotFoundHandler((request, reply) => {
    reply.code(404);
    return takesAPage(request) ? sendPage(request, reply) : notFound(reply);
  });
}

/** Lets the browser fetch the dashboard's code together with the page's own, which would only ask for it once it runs. */
async function dashboardPreload(folder: string): Promise<{ link?: string }> {
  const files = await readdir(path.join(folder, 'assets'));
  const chunks = files.filter((file) => DASHBOARD_CHUNK.test(file));
  if (chunks.length === 0) return {};
  return { link: chunks.map((file) => `</assets/${file}>; rel=modulepreload`).join(', ') };
}

/** The answer to a path that is nobody's, to those who do not look at pages. */
export function notFound(reply: FastifyReply) {
  return reply.code(404).send(refusal('Not found', 'NOT_FOUND'));
}

function takesAPage(request: FastifyRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  return /text\/html|\*\/\*/.test(request.headers.accept ?? '*/*');
}

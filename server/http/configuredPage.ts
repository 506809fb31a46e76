import { brotliCompressSync, gzipSync } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import { escapeAttribute } from 'entities';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PAGE_META } from '../../shared/pageMeta.ts';
import type { Config } from '../config/config.ts';

export type PageConfig = Pick<Config, 'firebaseConfig' | 'supportContact' | 'streamCors'>;

/**
 * Puts the configuration into the built page, in `<meta>` elements: the Content-Security-Policy forbids inline scripts.
 * @returns null if nothing is configured; otherwise a function that sends this page, compressed as the browser
 *   accepts it, and leaves the reply's status as it is
 */
export function createConfiguredPage(
  builtPage: string,
  { firebaseConfig, supportContact, streamCors }: PageConfig,
) {
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

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import { escapeAttribute } from 'entities';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FirebaseConfig } from '../config/firebaseConfig.ts';

/**
 * Puts the Firebase configuration into the built page, in a `<meta>`: the Content-Security-Policy forbids inline scripts.
 * @returns sends this page, compressed as the browser accepts it, and leaves the reply's status as it is
 */
export function createConfiguredPage(builtPage: string, config: FirebaseConfig) {
  const content = escapeAttribute(JSON.stringify(config));
  const page = builtPage.replace(
    '</head>',
    () => `<meta name="firebase-config" content="${content}" />\n</head>`,
  );
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

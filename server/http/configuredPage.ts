import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FirebaseConfig } from '../config/firebaseConfig.ts';

/**
 * The built page with the Firebase configuration in it, compressed once. A `<meta>` costs no request and needs no inline
 * script, which the Content-Security-Policy forbids.
 * @returns what sends it, in the best coding that the browser takes; the status is left as it is
 */
export function createConfiguredPage(builtPage: string, config: FirebaseConfig) {
  const page = Buffer.from(withMeta(builtPage, 'firebase-config', JSON.stringify(config)));
  const compressed = [
    { coding: 'br', body: brotliCompressSync(page) },
    { coding: 'gzip', body: gzipSync(page) },
  ];
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const accepted = String(request.headers['accept-encoding'] ?? '');
    const best = compressed.find(({ coding }) => takesCoding(accepted, coding));
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
    });
    if (best) reply.header('content-encoding', best.coding);
    return reply.send(best?.body ?? page);
  };
}

/** Whether an `Accept-Encoding` header names the coding without refusing it by `q=0` (RFC 9110, 12.5.3). */
function takesCoding(acceptEncoding: string, coding: string): boolean {
  return acceptEncoding.split(',').some((each) => {
    const [name, ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

function withMeta(page: string, name: string, content: string): string {
  const end = page.indexOf('</head>');
  if (end === -1) throw new Error('The built page has no </head>');
  return `${page.slice(0, end)}<meta name="${name}" content="${escapeAttribute(content)}" />\n${page.slice(end)}`;
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

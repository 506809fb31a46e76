import type { FastifyInstance } from 'fastify';

export const BODY_LIMIT_BYTES = 16 * 1024;

const DEFAULT_HOST = 'localhost';

/** Callers see the message, so it repeats nothing that they sent. */
class RequestFault extends Error {
  constructor(
    readonly statusCode: 400 | 415,
    message: string,
  ) {
    super(message);
  }
}

/** Rejects ambiguous Host, encoding or charset before the body is read. Node must not check the Host header itself. */
export function addHttpRules(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const { headers, raw } = request;
    // RFC 9112, 3.2. Node would take the first of two.
    const hosts = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
    if (hosts > 1 || (hosts === 0 && raw.httpVersion !== '1.0')) {
      throw new RequestFault(400, 'A request needs one Host header');
    }
    if (hosts === 0) headers.host = DEFAULT_HOST;
    // Later code builds a URL from them.
    if (!URL.canParse(`${request.protocol}://${request.hostname}/`)) {
      throw new RequestFault(400, 'The Host header names no host, or a proxy no protocol');
    }
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      throw new RequestFault(415, 'The Content-Encoding is not supported: send the body as it is');
    }
    const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1];
    if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
      throw new RequestFault(415, 'The charset is not supported: send the body in UTF-8');
    }
  });
}

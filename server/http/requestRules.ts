import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';

export const BODY_LIMIT_BYTES = 16 * 1024;

const DEFAULT_HOST = 'localhost';
/** A name or address, perhaps with a port. Node accepts more, which Sandbox's page would put into shell commands. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

const NO_HOST = 'The Host header is missing: send the name in the address';
const SEVERAL_HOSTS = 'There are several Host headers: send one';
const WRONG_HOST = 'The Host header is not a name or IP address, perhaps with a port';
const WRONG_PROTOCOL =
  'The X-Forwarded-Proto header names no protocol: the proxy in front must write http or https';
const NOT_UTF8_BODY = 'The body is not in UTF-8: send it in UTF-8';
const NOT_UTF8_ADDRESS = 'The query string is not in UTF-8: send its text in UTF-8, percent-encoded';
const RESERVED_NAME = 'The body uses "__proto__" or "constructor.prototype" as a name: choose another';

const FORWARDED_PROTOCOL = 'x-forwarded-proto';

/** Clients see the message, so it repeats nothing that they sent. */
class RequestFault extends Error {
  constructor(
    readonly statusCode: 400 | 415,
    message: string,
  ) {
    super(message);
  }
}

/** Rejects ambiguous Host, encoding or charset before the body is read. */
export function addHttpRules(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const { headers, raw } = request;
    // Fastify would prefer it to Host, but proxies may pass on one that a client sent.
    delete headers['x-forwarded-host'];
    // RFC 9112, 3.2. Node would take the first of two.
    const hosts = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
    if (hosts > 1 || (hosts === 0 && raw.httpVersion !== '1.0')) {
      throw new RequestFault(400, hosts === 0 ? NO_HOST : SEVERAL_HOSTS);
    }
    if (hosts === 0) headers.host = DEFAULT_HOST;
    // Later code builds a URL from them.
    if (!HOST.test(request.host) || !URL.canParse(`http://${request.host}/`)) {
      throw new RequestFault(400, WRONG_HOST);
    }
    if (!URL.canParse(`${request.protocol}://localhost/`)) throw new RequestFault(400, WRONG_PROTOCOL);
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      throw new RequestFault(415, 'The Content-Encoding is not supported: send the body as it is');
    }
    const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1];
    if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
      throw new RequestFault(415, 'The charset is not supported: send the body in UTF-8');
    }
  });

  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    // Fastify would read a password in another encoding as a wrong password.
    if (!isUtf8(bytes)) return done(new RequestFault(400, NOT_UTF8_BODY));
    const body = bytes.toString();
    return parseJson(request, body, (error, value) =>
      done(error && isJson(body) ? new RequestFault(400, RESERVED_NAME) : error, value),
    );
  });
}

/** Rejects a query string that would be decoded with loss. Node refuses characters that are not percent-encoded. */
export async function requireUtf8Address({ url }: FastifyRequest): Promise<void> {
  if (!isPercentEncodedUtf8(url)) throw new RequestFault(400, NOT_UTF8_ADDRESS);
}

/**
 * Reduces `X-Forwarded-Proto` to the protocol by which the client reached the outermost proxy that is trusted. Fastify
 * takes the last entry, that of the proxy beside this server. Each proxy adds an entry at the end or replaces them all,
 * so those before the last `trustProxy` are the client's own.
 */
export function addForwardedProtocol(app: FastifyInstance, trustProxy: number): void {
  app.addHook('onRequest', async ({ headers }) => {
    const entries = [headers[FORWARDED_PROTOCOL] ?? []].flat().join().split(',').slice(-trustProxy);
    const outermost = entries.map((entry) => entry.trim()).find(Boolean);
    if (outermost !== undefined) headers[FORWARDED_PROTOCOL] = outermost.toLowerCase();
  });
}

function isPercentEncodedUtf8(url: string): boolean {
  const escapes = url.match(/(?:%[\da-f]{2})+/gi) ?? [];
  return escapes.every((run) => isUtf8(Buffer.from(run.replaceAll('%', ''), 'hex')));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CodedError, INTERNAL_ERROR, type RequestCode, refusal } from '../errors.ts';
import { BODY_LIMIT_BYTES } from './requestRules.ts';

const REQUEST_CODES_BY_STATUS: Record<number, RequestCode> = {
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

const ADVICE: Record<string, string> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Send the body as JSON, with "content-type: application/json"',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty: send {"query": "…", "variables": {…}}',
  FST_ERR_CTP_INVALID_JSON_BODY:
    'The body is not JSON: put names and text in double quotes, as JSON.stringify and json.dumps do',
  FST_ERR_CTP_BODY_TOO_LARGE: `The body is too large: send ${BODY_LIMIT_BYTES / 1024} KiB at most`,
};

const CONNECTION_ERROR_STATUS: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

const CONNECTION_REASON: Record<number, { reason: string }> = { 431: { reason: 'HEADER_TOO_LARGE' } };

const CONNECTION_ADVICE: Record<number, string> = {
  // As nginx words it (deploy/nginx.conf).
  431: 'The header is too large: delete the cookies of this site and of the domain above it, or send fewer headers',
};

export function addErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler<FastifyError | CodedError>((error, request, reply) => {
    if (error instanceof CodedError) return refuseForNow(error, reply);
    const status = error.statusCode ?? 500;
    if (status >= 500) {
      request.log.error({ err: error }, 'failed');
      return reply.code(status).send(refusal(INTERNAL_ERROR.message, INTERNAL_ERROR.code));
    }
    const code = REQUEST_CODES_BY_STATUS[status] ?? 'BAD_REQUEST';
    return reply.code(status).send(refusal(ADVICE[error.code] ?? error.message, code));
  });
}

export function refuseMethod(_request: FastifyRequest, reply: FastifyReply) {
  return reply
    .code(405)
    .header('allow', 'GET, POST')
    .send(refusal('Send operations by POST', 'METHOD_NOT_ALLOWED'));
}

export type RefusedConnection = { status: number; code: string; address: string | undefined };

/** Answers bytes that are not HTTP, too many or too slow, as Node would; Fastify never sees a request. */
export function refuseConnection(
  error: ConnectionError,
  socket: Socket,
  onRefusal: (refused: RefusedConnection) => void,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const status = CONNECTION_ERROR_STATUS[error.code] ?? 400;
  onRefusal({ status, code: error.code, address: socket.remoteAddress });
  if (socket.writable) {
    const body = JSON.stringify(
      refusal(
        CONNECTION_ADVICE[status] ?? STATUS_CODES[status] ?? '',
        'BAD_REQUEST',
        CONNECTION_REASON[status],
      ),
    );
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n` +
        `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  }
  socket.destroy(error);
}

/** @param error - `RATE_LIMITED`, the only one that is thrown before an operation */
function refuseForNow({ message, code, details }: CodedError, reply: FastifyReply) {
  return (
    reply
      .code(429)
      .header('retry-after', details.retryAfterSeconds)
      // Apollo Client reads the errors of a 429 only with this media type, which nginx sends too (deploy/nginx.conf).
      .type('application/graphql-response+json; charset=utf-8')
      .send({ errors: [{ message, extensions: { code, ...details } }] })
  );
}

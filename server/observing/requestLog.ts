import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GRAPHQL_PATH, HEALTH_PATH, LIVE_PATH, READY_PATH } from '../../shared/paths.ts';
import type { Caller } from '../accounts/caller.ts';
import { ipAddressOf } from '../http/ipAddress.ts';
import { KEY_PREFIX } from '../keys/key.ts';
import type { LineLimit } from './lineLimit.ts';

/** Fields of the request's line that are known only while it is answered. Only `operation` is the client's own text. */
export type LogFields = {
  operation?: string | null;
  fields?: string[];
  codes?: string[] | undefined;
  account?: string;
  key?: string;
  /** The credential that was not looked at, because `authorization: Bearer` came with it and was refused. */
  ignored?: 'session cookie';
};

/** `account` is an id: the names of keys are unique only within an account. */
export type AccountKeyName = { account: string; key: string };

export type RequestObserver = {
  /**
   * Called when an answer is out, or when its client left before it was.
   * @param answer - `route` as the router knows it, undefined where none fits; `status` null when the client left
   */
  onAnswer(answer: {
    method: string;
    route: string | undefined;
    status: number | null;
    durationMs: number;
  }): void;
  /**
   * Called when a GraphQL operation, or the making of a player's token, is over, whether or not its client still waits.
   * @param operation - `fields` as in `LogFields`, empty for an invalid operation; `code` of its failure, or null;
   *   `key` that the request was made with, or null
   */
  onOperation(operation: {
    fields: string[];
    code: string | null;
    durationMs: number;
    key: AccountKeyName | null;
  }): void;
  onOpening(key: AccountKeyName): void;
};

export type RequestFollowers = { observer?: RequestObserver | undefined; lineLimit: LineLimit };

declare module 'fastify' {
  interface FastifyRequest {
    logFields: LogFields;
  }
}

const API_ROUTES = [GRAPHQL_PATH, `${LIVE_PATH}*`];
const HEALTH_ROUTES = [HEALTH_PATH, READY_PATH];

const CLIENT_NAME = /^[A-Za-z][\w .-]{0,39}$/;
/** W3C Trace Context: version, trace id, parent id, flags. */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/;
const SECRET = new RegExp(`${KEY_PREFIX}|eyJ`);

/**
 * Logs requests (docs/decisions/0015-logs.md), and sends each line's id to the client as `x-request-id`. Fastify's own
 * lines hold the path as sent and are switched off.
 */
export function addRequestLog(app: FastifyInstance, followers: RequestFollowers): void {
  app.decorateRequest('logFields');
  app.addHook('onRequest', async (request, reply) => followRequest(request, reply, followers));
  app.addHook('onSend', async ({ logFields }, reply, payload) => {
    if (reply.statusCode >= 400) logFields.codes ??= codesIn(reply, payload);
    return payload;
  });
}

export function addCallerToLog({ logFields }: FastifyRequest, { accountId, key }: Caller): void {
  logFields.account = accountId;
  if (key !== null) logFields.key = key.name;
}

export function loggedKey({ account, key }: LogFields): AccountKeyName | null {
  return account === undefined || key === undefined ? null : { account, key };
}

export function followRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { observer, lineLimit }: RequestFollowers,
): void {
  const startMs = performance.now();
  request.logFields = {};
  reply.header('x-request-id', request.id);
  if (lineLimit.isUsedUp(request.ip)) request.log.level = 'error';
  // Fastify's `onResponse` and `onRequestAbort` both miss a client that leaves while the answer is made.
  reply.raw.once('close', () => {
    const { method, logFields } = request;
    const durationMs = performance.now() - startMs;
    const route = request.routeOptions.url;
    const isAnswered = reply.raw.writableFinished;
    observer?.onAnswer({ method, route, status: isAnswered ? reply.statusCode : null, durationMs });
    if (!isLogged(route, reply.statusCode)) return;
    const level = isAnswered && isPoll(logFields) ? 'debug' : 'info';
    if (level === 'info' && !lineLimit.allows(request.ip)) return;
    request.log[level](
      {
        method,
        // Never the path as sent, where a password or token may have been pasted.
        ...(route !== undefined && { route }),
        ...(isAnswered ? { status: reply.statusCode } : { callerLeft: true }),
        ms: Math.round(durationMs * 10) / 10,
        address: ipAddressOf(request.ip),
        ...clientHeaders(request.headers),
        ...logFields,
      },
      'request',
    );
  });
}

/** The client's headers that go into the log: only if they look like a name or an id, and never a key or a JWT. */
export function clientHeaders(headers: IncomingHttpHeaders): { client?: string; trace?: string } {
  const name = String(headers['apollographql-client-name'] ?? '');
  const trace = TRACEPARENT.exec(String(headers.traceparent ?? ''))?.[1];
  return {
    ...(CLIENT_NAME.test(name) && !SECRET.test(name) && { client: name }),
    ...(trace !== undefined && { trace }),
  };
}

function codesIn(reply: FastifyReply, payload: unknown): string[] | undefined {
  if (typeof payload !== 'string' || !/json/.test(String(reply.getHeader('content-type')))) return undefined;
  const { errors } = JSON.parse(payload) as { errors?: Array<{ extensions?: { code?: string } }> };
  return errors?.map(({ extensions }) => String(extensions?.code));
}

function isPoll({ fields, codes }: LogFields): boolean {
  return codes === undefined && fields?.join() === 'notice';
}

function isLogged(route: string | undefined, status: number): boolean {
  if (API_ROUTES.includes(route ?? '')) return true;
  return status >= 400 && !HEALTH_ROUTES.includes(route ?? '');
}

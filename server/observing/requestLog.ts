import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GRAPHQL_PATH, HEALTH_PATH, LIVE_PATH, READY_PATH } from '../../shared/paths.ts';
import type { Caller } from '../accounts/caller.ts';
import { ipAddressOf } from '../http/ipAddress.ts';
import { callerHeaders } from './callerHeaders.ts';

/** Only the operation's name is the caller's own text. */
export type RequestFacts = {
  operation?: string | null;
  fields?: string[];
  codes?: string[] | undefined;
  account?: string;
  key?: string;
};

/** The key's name, and the id of its account, since names are unique only within an account. */
export type CallersKey = { account: string; key: string };

export function callersKey({ account, key }: RequestFacts): CallersKey | null {
  return account === undefined || key === undefined ? null : { account, key };
}

export type RequestObserver = {
  /**
   * Called when an answer is out, or when its caller left before it was.
   * @param answer - `route` as the router knows it, undefined where none fits; `status` null when the caller left
   */
  onAnswer(answer: {
    method: string;
    route: string | undefined;
    status: number | null;
    durationMs: number;
  }): void;
  /**
   * Called when a GraphQL operation, or the making of a player's token, is over, whether or not its caller still waits.
   * @param operation - `fields` as in `RequestFacts`, empty for an invalid operation; `code` of its failure, or null;
   *   `key` is the caller's, or null
   */
  onOperation(operation: {
    fields: string[];
    code: string | null;
    durationMs: number;
    key: CallersKey | null;
  }): void;
  onOpening(key: CallersKey): void;
};

declare module 'fastify' {
  interface FastifyRequest {
    facts: RequestFacts;
  }
}

const API_ROUTES = [GRAPHQL_PATH, `${LIVE_PATH}*`];
const HEALTH_ROUTES = [HEALTH_PATH, READY_PATH];

/**
 * Logs one line for each request of the API or a player, and for any other request that is refused. Sends the line's id
 * to the caller as `x-request-id`. Fastify's own lines hold the path as sent and are switched off
 * (docs/decisions/0015-logs.md).
 */
export function addRequestLog(app: FastifyInstance, observer?: RequestObserver): void {
  app.decorateRequest('facts');
  app.addHook('onRequest', async (request, reply) => followRequest(request, reply, observer));
  app.addHook('onSend', async ({ facts }, reply, payload) => {
    if (reply.statusCode >= 400) facts.codes ??= codesIn(reply, payload);
    return payload;
  });
}

export function logCaller({ facts }: FastifyRequest, { accountId, key }: Caller): void {
  facts.account = accountId;
  if (key !== null) facts.key = key.name;
}

export function followRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  observer?: RequestObserver,
): void {
  const startMs = performance.now();
  request.facts = {};
  reply.header('x-request-id', request.id);
  // Fastify's `onResponse` and `onRequestAbort` both miss a caller who leaves while the answer is made.
  reply.raw.once('close', () => {
    const { method, facts } = request;
    const durationMs = performance.now() - startMs;
    const route = request.routeOptions.url;
    const isAnswered = reply.raw.writableFinished;
    observer?.onAnswer({ method, route, status: isAnswered ? reply.statusCode : null, durationMs });
    if (!isLogged(route, reply.statusCode)) return;
    request.log.info(
      {
        method,
        // Never the path as sent, where a password or token may have been pasted.
        ...(route !== undefined && { route }),
        ...(isAnswered ? { status: reply.statusCode } : { callerLeft: true }),
        ms: Math.round(durationMs * 10) / 10,
        address: ipAddressOf(request.ip),
        ...callerHeaders(request.headers),
        ...facts,
      },
      'request',
    );
  });
}

function codesIn(reply: FastifyReply, payload: unknown): string[] | undefined {
  if (typeof payload !== 'string' || !/json/.test(String(reply.getHeader('content-type')))) return undefined;
  const { errors } = JSON.parse(payload) as { errors?: Array<{ extensions?: { code?: string } }> };
  return errors?.map(({ extensions }) => String(extensions?.code));
}

function isLogged(route: string | undefined, status: number): boolean {
  if (API_ROUTES.includes(route ?? '')) return true;
  return status >= 400 && !HEALTH_ROUTES.includes(route ?? '');
}

import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LIVE_PATH } from '../../shared/paths.ts';
import { codedErrorOf } from '../database/databaseErrors.ts';
import { INTERNAL_ERROR } from '../errors.ts';
import { addressOf } from '../http/ipAddress.ts';
import { keyFormFault, playerKeyAt } from '../keys/key.ts';
import type { KeySessions } from '../keys/keySessions.ts';
import { logFailure } from '../observing/log.ts';
import { addCallerToLog, loggedKey, type RequestObserver } from '../observing/requestLog.ts';
import { createStreamToken, type TokenServices } from '../streamTokens/createStreamToken.ts';
import { createRecentTokens, type RecentTokens } from './recentTokens.ts';

const METHODS = ['GET', 'HEAD'];

const FAILURE_RETRY_AFTER_SECONDS = 5;

const ANSWER_HEADERS = {
  'cache-control': 'no-store',
  'content-type': 'text/plain; charset=utf-8',
  // Pages of other sites may embed the address, as OBS's browser source and web players do.
  'cross-origin-resource-policy': 'cross-origin',
};

type LiveRequest = { Params: { '*': string } };

type Answer = {
  code: string | null;
  token?: 'new' | 'recent';
  status: number;
  text: string;
  headers?: Record<string, string | number>;
};

const UNKNOWN_KEY: Answer = {
  code: 'UNAUTHENTICATED',
  status: 403,
  text: 'This address is unknown, has expired, was revoked or is bound to another network: ask the broadcaster for another',
};

const PREVIEW: Answer = {
  code: null,
  status: 403,
  text: 'A preview or prefetch gets no token: open this address with a player, and do not send it by chat',
};

const LIVE_URL = /^(?:https?:\/\/[^/?#]*)?\/+live\/+(.*)$/s;

/** Headers by which browsers declare that they load an address in advance; `Sec-Purpose` is the Fetch standard's. */
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];
const PREFETCH = /\b(?:prefetch|prerender|preview)\b/i;

/** User agents of chats that preview a link: WhatsApp and Signal, Telegram, Slack, Teams, Messenger and iMessage, Discord. */
const LINK_PREVIEWS = /^WhatsApp\/|TelegramBot|Slackbot|SkypeUriPreview|facebookexternalhit|Discordbot/i;

/** `/live/KEY` is the address that a player keeps (docs/decisions/0029-keys.md). */
export function addLiveRoute(
  app: FastifyInstance,
  services: TokenServices & { keySessions: KeySessions },
  observer: RequestObserver | undefined,
): void {
  const recentTokens = createRecentTokens(services.clock);
  app.all<LiveRequest>(`${LIVE_PATH}*`, {
    // Pages of other sites may read the sound. For every answer: the address itself is the only credential.
    onSend: async (_request, reply, payload) => {
      reply.header('access-control-allow-origin', '*');
      return payload;
    },
    // Refuses other methods before the body is read.
    onRequest: async (request, reply) => {
      if (METHODS.includes(request.method)) {
        if (!isPreview(request.headers)) return;
        request.logFields.codes = ['BAD_REQUEST'];
        return send(reply, PREVIEW);
      }
      request.logFields.codes = ['METHOD_NOT_ALLOWED'];
      const headers = { allow: METHODS.join(', ') };
      return send(reply, { code: null, status: 405, text: 'Open this address by GET or HEAD', headers });
    },
    handler: async (request, reply) => {
      const startMs = performance.now();
      const answer = await redirectToStream(services, recentTokens, request).catch((error: unknown) => {
        logFailure(request.log, error);
        return answerTo(error);
      });
      const { code, token } = answer;
      const key = loggedKey(request.logFields);
      if (code !== null) request.logFields.codes = [code];
      if (token !== undefined && key !== null) observer?.onOpening(key);
      const durationMs = performance.now() - startMs;
      if (token !== 'recent') observer?.onOperation({ fields: ['live'], code, durationMs, key });
      return send(reply, answer);
    },
  });
}

/**
 * Normalizes the address of a player's request to `/live/KEY`; leaves any other as it is. Players and codecs append
 * `/`, `;stream.mp3`, a blank and the like to the address that they were given, or join it with a second slash.
 * @param url - a request's target, as it was sent
 */
export function plainLiveUrl(url: string): string {
  const sent = LIVE_URL.exec(url)?.[1];
  if (sent === undefined) return url;
  return LIVE_PATH + (playerKeyAt(decodeAscii(sent)) ?? sent);
}

async function redirectToStream(
  services: TokenServices & { keySessions: KeySessions },
  recentTokens: RecentTokens,
  request: FastifyRequest<LiveRequest>,
): Promise<Answer> {
  const { '*': key } = request.params;
  const address = addressOf(request);
  // Looked up before the recent token, so that a revoked key is refused at once.
  const caller = await services.keySessions.find('PLAYER', key, { address, log: request.log });
  if (caller === null) return { ...UNKNOWN_KEY, text: keyFormFault(key, 'PLAYER') ?? UNKNOWN_KEY.text };
  await services.keySessions.recordUse(caller);
  addCallerToLog(request, caller);
  const { streamUrl, isNew } = await recentTokens.get(key, async () => {
    const created = await createStreamToken(services, { caller, address, client: 'PLAYER' });
    return created.streamUrl;
  });
  return {
    code: null,
    token: isNew ? 'new' : 'recent',
    status: 302,
    text: 'Redirecting to the stream',
    headers: { location: streamUrl },
  };
}

function answerTo(error: unknown): Answer {
  const coded = codedErrorOf(error);
  if (coded === null) return { code: INTERNAL_ERROR.code, status: 500, text: INTERNAL_ERROR.message };
  const { code, message: text, details } = coded;
  if (code === 'UNAUTHENTICATED') return UNKNOWN_KEY;
  const headers = { 'retry-after': details.retryAfterSeconds ?? FAILURE_RETRY_AFTER_SECONDS };
  return { code, status: code === 'RATE_LIMITED' ? 429 : 503, text, headers };
}

function send(reply: FastifyReply, { status, text, headers = {} }: Answer): FastifyReply {
  return reply
    .code(status)
    .headers({ ...ANSWER_HEADERS, ...headers })
    .send(`${text}\n`);
}

/** Also reads what stands before a broken escape, at which `decodeURIComponent` throws. */
function decodeAscii(text: string): string {
  return text.replace(/%([0-7][\da-f])/gi, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function isPreview(headers: IncomingHttpHeaders): boolean {
  return (
    PURPOSE_HEADERS.some((name) => PREFETCH.test(String(headers[name] ?? ''))) ||
    LINK_PREVIEWS.test(headers['user-agent'] ?? '')
  );
}

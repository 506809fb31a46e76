import { setTimeout as wait } from 'node:timers/promises';
import { type Dispatcher, EnvHttpProxyAgent, fetch, type Headers, type Response } from 'undici';
import { SECOND_MS } from '../../../shared/durations.ts';
import { type Proxies, proxyOptions } from '../../config/proxies.ts';
import { OperatorError } from '../../errors.ts';
import { escapeInvisible } from '../../observing/sanitizing.ts';

export type StreamTimes = {
  firstAudioTimeoutMs: number;
  listenMs: number;
  /** More than the second of a `server_time`: until then equal tokens may both be fresh. */
  askAgainAfterMs: number;
};

export const STREAM_TIMES: StreamTimes = {
  firstAudioTimeoutMs: 10_000,
  listenMs: 2_000,
  askAgainAfterMs: 2_100,
};

const MADE_UP_ORIGIN = 'https://page.example';
const FIRST_BYTES = 'bytes=0-1';
/** As browsers do. */
const MAX_REDIRECTS = 20;
const REDIRECTS = [301, 302, 303, 307, 308];

const PLAYLIST = /mpegurl|dash\+xml|x-scpls|xspf/i;
const MP3 = /^(?:audio\/(?:x-)?(?:mpeg|mp3)|no content type)$/i;
const NOT_AUDIO = /^text\/|json|xml/;

const READABLE = 'pages may read it: set STREAM_CORS=on, so that partners see its level';
const UNREADABLE = 'without STREAM_CORS the page cannot tell silence';
const refusesPages = (asked: string) =>
  `pages may not read it (${asked}), so with STREAM_CORS=on no browser plays it: set STREAM_CORS=off, or ask the provider to allow it`;
const unknownToPages = (asked: string) =>
  `whether our page may read it is not known (${asked}): set PUBLIC_HOST to the name under which partners reach the service, and check again`;
const LOOP = 'it redirects in a loop: ask the provider for the address of the stream itself';
const ANSWERS_RANGES =
  'it answers a part (status 206): Safari then asks for part after part, and is refused once the token has expired, so that partners ' +
  'lose the sound after 20 minutes: ask the provider to ignore Range';
const notMp3 = (type: string) =>
  `it is ${type}, while the commands for ffmpeg that partners copy expect MP3: tell them what docs/players.md says of other formats`;
const KEPT =
  'browsers may keep what it sends, so that in Firefox a partner may hear old sound after the stream has ended: ask the provider for ' +
  'Cache-Control: no-store';

type Opening = { dispatcher: Dispatcher; times: StreamTimes };

type PlayerHeaders = { origin: string; range?: string };

type Opened = {
  status: number;
  type: string;
  end: URL;
  mayBeKept: boolean;
  /** The first answer that pages may not read: the `Origin` sent and the `Access-Control-Allow-Origin` that came, in words. */
  unreadable: string | null;
  /** Reads for `forMs` after the first audio; returns how long the connection stayed open, in milliseconds. */
  listen(forMs: number): Promise<number>;
  close(): void;
};

const CHAIN_MISSING = /^UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?)$/;

/** Opens the stream as a player does, then again with the same token, as Safari and reconnecting players do. */
export async function tryStream(
  url: string,
  {
    streamCors,
    pageOrigins,
    times,
    proxies,
  }: {
    streamCors: boolean;
    pageOrigins: readonly string[];
    times: StreamTimes;
    proxies: Proxies;
  },
): Promise<{ found: string; warnings: string[] }> {
  const dispatcher = new EnvHttpProxyAgent(proxyOptions(url, proxies));
  const opening = { dispatcher, times };
  try {
    return await listenTwice(url, { streamCors, pageOrigins }, opening);
  } finally {
    await dispatcher.destroy();
  }
}

export function routeFault(start: URL, end: URL): string | null {
  if (start.protocol !== 'https:' || end.protocol === 'https:') return null;
  return `it redirects from https to http (${end.host}), which no page may play: ask the provider for https`;
}

export function certificateAdvice(code: string): string | null {
  if (!CHAIN_MISSING.test(code)) return null;
  return (
    "the provider's server sends its certificate without the intermediate one, which browsers may know: ask it to send the whole chain; " +
    'if the certificate is of an authority of its own, name that by NODE_EXTRA_CA_CERTS'
  );
}

async function listenTwice(
  url: string,
  { streamCors, pageOrigins }: { streamCors: boolean; pageOrigins: readonly string[] },
  opening: Opening,
): Promise<{ found: string; warnings: string[] }> {
  const { times } = opening;
  const [origin = MADE_UP_ORIGIN, ...otherOrigins] = pageOrigins;
  const first = await open(url, { origin }, opening);
  try {
    const fault = faultOf(first) ?? routeFault(new URL(url), first.end);
    if (fault !== null) throw new OperatorError(fault);
    let unreadable = first.unreadable;
    for (const other of otherOrigins) unreadable ??= await unreadableAs(other, url, opening);
    const isRefusal = streamCors && unreadable !== null;
    if (isRefusal && pageOrigins.length > 0) throw new OperatorError(refusesPages(unreadable ?? ''));
    const heardMs = await first.listen(times.listenMs);
    if (heardMs < times.listenMs) {
      const seconds = (heardMs / SECOND_MS).toFixed(1);
      throw new OperatorError(`it ends after ${seconds} s: ask the provider whether it is on air`);
    }
    const redirect = first.end.host === new URL(url).host ? '' : ` after a redirect to ${first.end.host}`;
    const found = `it sends audio (${first.type})${redirect}`;
    const warning = await againFault(url, { origin, range: FIRST_BYTES }, opening);
    const warnings = warning === null ? [] : [warning];
    if (!MP3.test(first.type)) warnings.push(notMp3(first.type));
    if (first.mayBeKept) warnings.push(KEPT);
    if (isRefusal) warnings.push(unknownToPages(unreadable ?? ''));
    if (streamCors) return { found, warnings };
    return { found: `${found}; ${unreadable === null ? READABLE : UNREADABLE}`, warnings };
  } finally {
    first.close();
  }
}

async function unreadableAs(origin: string, url: string, opening: Opening): Promise<string | null> {
  const opened = await open(url, { origin }, opening);
  opened.close();
  return opened.unreadable;
}

async function againFault(url: string, headers: PlayerHeaders, opening: Opening): Promise<string | null> {
  const again = await open(url, headers, opening);
  again.close();
  if (again.status === 206) return ANSWERS_RANGES;
  if (again.status === 200) return null;
  return (
    `it refuses a second connection with the same token (status ${again.status}): Safari plays nothing, and a player that loses its ` +
    'connection needs a new token: ask the provider to accept a token until it expires'
  );
}

async function open(
  url: string,
  headers: PlayerHeaders,
  { dispatcher, times: { firstAudioTimeoutMs } }: Opening,
): Promise<Opened> {
  const late = `no audio within ${firstAudioTimeoutMs / SECOND_MS} s: check STREAM_BASE_URL and firewalls, and ask the provider whether it is on air`;
  // Not a signal composed of others, which Node 20 may collect before it aborts.
  const connection = new AbortController();
  const close = () => {
    clearTimeout(timer);
    connection.abort();
  };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    close();
  }, firstAudioTimeoutMs);
  const explained = (error: unknown) => {
    close();
    if (error instanceof OperatorError) return error;
    return new OperatorError(isLate ? late : openingFault(error));
  };
  const { signal } = connection;
  try {
    const { response, end, unreadable } = await followAsBrowser(url, headers, { signal, dispatcher });
    return {
      status: response.status,
      type: /^[\w.+-]+\/[\w.+-]+/.exec(response.headers.get('content-type') ?? '')?.[0] ?? 'no content type',
      end,
      mayBeKept: mayBeKept(response.headers),
      unreadable,
      async listen(forMs) {
        try {
          return await listen(response, forMs, () => clearTimeout(timer));
        } catch (error) {
          throw explained(error);
        }
      },
      close,
    };
  } catch (error) {
    throw explained(error);
  }
}

/**
 * Follows redirects as the Fetch standard says: each answer must allow the origin, which is `null` once a redirect from
 * another site than the page's led to a third one.
 */
async function followAsBrowser(
  start: string,
  { origin, ...headers }: PlayerHeaders,
  { signal, dispatcher }: { signal: AbortSignal; dispatcher: Dispatcher },
): Promise<{ response: Response; end: URL; unreadable: string | null }> {
  let end = new URL(start);
  let sent = origin;
  let unreadable: string | null = null;
  for (let count = 0; ; count += 1) {
    const response = await fetch(end, {
      signal,
      headers: { ...headers, origin: sent },
      dispatcher,
      redirect: 'manual',
    });
    const allowed = response.headers.get('access-control-allow-origin');
    if (allowed !== '*' && allowed !== sent)
      unreadable ??= answerInWords(sent, allowed, count > 0 ? end : null);
    const location = response.headers.get('location');
    if (!REDIRECTS.includes(response.status) || !URL.canParse(location ?? '', end)) {
      return { response, end, unreadable };
    }
    if (count === MAX_REDIRECTS) throw new OperatorError(LOOP);
    await response.body?.cancel();
    const next = new URL(location ?? '', end);
    if (next.origin !== end.origin && end.origin !== origin) sent = 'null';
    end = next;
  }
}

function answerInWords(origin: string, allowed: string | null, redirectedTo: URL | null): string {
  const who = redirectedTo === null ? 'it' : redirectedTo.host;
  const what =
    allowed === null
      ? 'no Access-Control-Allow-Origin'
      : `Access-Control-Allow-Origin ${escapeInvisible(allowed)}`;
  return `asked as ${origin}, ${who} answered ${what}`;
}

/** The rule is RFC 9111's, section 4.2. */
function mayBeKept(headers: Headers): boolean {
  const control = headers.get('cache-control') ?? headers.get('pragma') ?? '';
  if (/no-store|no-cache|max-age=0\b/i.test(control)) return false;
  if (/max-age=|public/i.test(control)) return true;
  const expires = headers.get('expires');
  return expires === null ? headers.has('last-modified') : Date.parse(expires) > Date.now();
}

async function listen({ body }: Response, forMs: number, onAudio: () => void): Promise<number> {
  const reader = body?.getReader();
  const readUntil = async (isEnough: (bytes: number) => boolean) => {
    for (;;) {
      const read = await reader?.read();
      if (read === undefined || read.done) return false;
      if (isEnough(read.value.length)) return true;
    }
  };
  if (!(await readUntil((bytes) => bytes > 0))) {
    throw new OperatorError('it ends without audio: ask the provider whether it is on air');
  }
  onAudio();
  const startMs = performance.now();
  const isStillOpen = await Promise.race([readUntil(() => false), wait(forMs, true)]);
  return isStillOpen ? forMs : performance.now() - startMs;
}

function openingFault(error: unknown): string {
  const { code = 'no HTTP' } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  const advice =
    certificateAdvice(code) ??
    'check the host and port in STREAM_BASE_URL, DNS, certificates, and firewalls in between';
  return `it cannot be opened (${code}): ${advice}`;
}

function faultOf({ status, type }: Opened): string | null {
  if (status === 401 || status === 403) {
    return (
      `it refuses the token (status ${status}): PROVIDER_TOKEN_URL and STREAM_BASE_URL must be of the same stream, ` +
      "and the provider must not bind tokens to another machine's address"
    );
  }
  if (status >= 500)
    return `it answers with status ${status}, a fault of the provider: ask whether it is on air`;
  if (status !== 200) return `it answers with status ${status}: check the path in STREAM_BASE_URL`;
  if (PLAYLIST.test(type)) {
    return `it answers with a playlist (${type}), which only few players follow: ask the provider for the address of the audio itself`;
  }
  if (NOT_AUDIO.test(type)) return `it answers with ${type}, which is not audio: check STREAM_BASE_URL`;
  return null;
}

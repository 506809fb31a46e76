#!/usr/bin/env node
/**
 * Records the official stream to files until SIGTERM or SIGINT; opens a lost stream again with a new token.
 *
 *     AUDIO_KEY=… node record.mjs [folder]
 *
 * The folder is the current one by default; the full path of each file is printed. A file's ending, .mp3, .aac, .ogg or
 * .flac, is that of the stream's content type.
 * Without a key, signs in with AUDIO_USERNAME and AUDIO_PASSWORD.
 * Needs Node 20 and ffmpeg. ffmpeg reads the audio from a pipe: everybody on the machine can read its arguments, and
 * the stream's address is secret. Ends with 0 after a signal, with 77 when key or account are refused, with 78 when it
 * is misused.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';

// Reaches a slow IPv4 address beside an IPv6 that leads nowhere.
net.setDefaultAutoSelectFamilyAttemptTimeout(600);

const { AUDIO_API = 'http://127.0.0.1:4000/graphql', AUDIO_KEY = '' } = process.env;
const { AUDIO_USERNAME, AUDIO_PASSWORD, FFMPEG_PATH = 'ffmpeg', PATH } = process.env;
const folder = path.resolve(process.argv[2] ?? '.');

const SIGN_IN = `mutation ($username: String!, $password: String!) {
  login(username: $username, password: $password) { jwt }
}`;
const CREATE_TOKEN = 'mutation { createToken { streamUrl } }';
const SIGN_OUT = 'mutation { logout }';

/** Longer than the API takes for any answer. */
const ANSWER_LIMIT_MS = 21_000;
/** A live stream without data for this long is lost, even if its connection stays open. */
const SILENCE_LIMIT_MS = 10_000;
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 15_000;
/** After a connection of this length, waiting begins with the first wait again. */
const STEADY_MS = 30_000;

/** Exit codes, as in sysexits.h, for failures that a retry does not fix. */
const EXIT_CODES = new Map([
  ['INVALID_CREDENTIALS', 77],
  ['UNAUTHENTICATED', 77],
  ['BAD_USER_INPUT', 78],
  ['GRAPHQL_VALIDATION_FAILED', 78],
  ['NOT_FOUND', 78],
  ['MISUSED', 78],
]);

/** ffmpeg's names of the formats of streams that are not MP3, which are also the endings of files. */
const FORMATS = new Map([
  ['audio/aac', 'aac'],
  ['audio/aacp', 'aac'],
  ['audio/x-aac', 'aac'],
  ['audio/ogg', 'ogg'],
  ['application/ogg', 'ogg'],
  ['audio/opus', 'ogg'],
  ['audio/flac', 'flac'],
]);

/** A failed step; `code` is the API's, or one of `MISUSED`, `NO_ANSWER`, `STREAM` and `FFMPEG`. */
class Failure extends Error {
  constructor(/** @type {string} */ code, /** @type {string} */ message, retryAfterSeconds = 0) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The key, or the jwt of login. */
let bearer = AUDIO_KEY;
const stopping = new AbortController();
// Listens once, so a second signal of the same kind ends the program at once.
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stopping.abort());

try {
  if (!AUDIO_KEY && !(AUDIO_USERNAME && AUDIO_PASSWORD)) {
    throw new Failure('MISUSED', 'set AUDIO_KEY, or AUDIO_USERNAME and AUDIO_PASSWORD');
  }
  const { protocol, hostname } = new URL(AUDIO_API);
  if (protocol !== 'https:' && !['127.0.0.1', '[::1]', 'localhost'].includes(hostname)) {
    throw new Failure(
      'MISUSED',
      'AUDIO_API must be an https:// address, because it gets the key or password',
    );
  }
  if (protocol === 'http:') {
    // Node 24 with NODE_USE_ENV_PROXY would let a proxy see the key. The stream may need the proxy.
    const { no_proxy = process.env.NO_PROXY ?? '' } = process.env;
    process.env.no_proxy = `${no_proxy},${hostname}`;
  }
  if (!existsSync(folder)) throw new Failure('MISUSED', `there is no folder ${folder}`);
  await recordUntilStopped();
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.warn(`${error.code}: ${error.message}`);
  process.exitCode = EXIT_CODES.get(error.code);
} finally {
  if (bearer && !AUDIO_KEY)
    await ask(SIGN_OUT).catch(({ message }) => console.warn(`The session was not ended: ${message}`));
}

/** @throws {Failure} that a retry does not fix */
async function recordUntilStopped() {
  let failures = 0;
  while (!stopping.signal.aborted) {
    const startMs = performance.now();
    try {
      await record(await createStreamUrl());
    } catch (error) {
      if (stopping.signal.aborted) return;
      if (!(error instanceof Failure) || EXIT_CODES.has(error.code)) throw error;
      failures = performance.now() - startMs >= STEADY_MS ? 1 : failures + 1;
      const waitMs = waitAfter(error, failures);
      console.warn(`${error.code}: ${error.message}; trying again in ${Math.ceil(waitMs / 1_000)} s`);
      await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
}

/**
 * Returns the wait that the API asks for, else twice as long after each failure in a row; random, to spread the
 * callers.
 * @param {Failure} failure
 * @param {number} failures
 */
function waitAfter({ retryAfterSeconds }, failures) {
  if (retryAfterSeconds > 0) return (retryAfterSeconds + Math.random()) * 1_000;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)) * (1 - Math.random() / 2);
}

/** Creates a token; without a key, signs in first unless a session lasts. */
async function createStreamUrl() {
  if (!bearer) await signIn();
  const { createToken } = await ask(CREATE_TOKEN).catch(async (error) => {
    if (error.code !== 'UNAUTHENTICATED' || AUDIO_KEY) throw error;
    await signIn();
    return ask(CREATE_TOKEN);
  });
  return createToken.streamUrl;
}

/** Sends the jwt of an ended session too: the API then deletes what is left of that session. */
async function signIn() {
  const { login } = await ask(SIGN_IN, { username: AUDIO_USERNAME, password: AUDIO_PASSWORD });
  bearer = login.jwt;
}

/** @type {(query: string, variables?: object) => Promise<{ login: { jwt: string }, createToken: { streamUrl: string } }>} */
async function ask(query, variables) {
  const response = await fetch(AUDIO_API, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) },
    body: JSON.stringify({ query, variables }),
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  }).catch((error) => {
    throw new Failure('NO_ANSWER', error.cause?.code ?? error.name);
  });
  const { data, errors } = await response.json().catch(() => ({}));
  const requestId = `(x-request-id ${response.headers.get('x-request-id')})`;
  if (errors) {
    const { code, retryAfterSeconds } = errors[0].extensions;
    throw new Failure(code, `${errors[0].message} ${requestId}`, retryAfterSeconds);
  }
  if (!data) throw new Failure('NO_ANSWER', `no JSON, but status ${response.status} ${requestId}`);
  return data;
}

/** Records one connection, to a file named after its beginning, such as audio-20261121T183000Z.mp3. */
async function record(/** @type {string} */ streamUrl) {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENCE_LIMIT_MS);
  const signal = AbortSignal.any([stopping.signal, silence.signal]);
  try {
    const { ok, status, headers, body } = await fetch(streamUrl, { signal }).catch((error) => {
      throw new Failure('STREAM', error.cause?.code ?? error.name);
    });
    if (!ok || !body) throw new Failure('STREAM', `it answers with status ${status}`);
    const [type = ''] = (headers.get('content-type') ?? '').toLowerCase().split(/[; ]/);
    const format = FORMATS.get(type) ?? 'mp3';
    const file = path.join(folder, `audio-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}.${format}`);
    console.warn(`Recording ${file}`);
    const ffmpeg = spawn(
      FFMPEG_PATH,
      ['-v', 'error', '-n', '-f', format, '-i', 'pipe:0', '-c', 'copy', file],
      {
        stdio: ['pipe', 'ignore', 'inherit'],
        env: { PATH }, // without key and password
        detached: true, // so that Ctrl-C does not reach it
      },
    );
    const closed = once(ffmpeg, 'close').catch(({ code }) => [code]);
    // ffmpeg finishes the file when its input ends, for whatever reason.
    await pipeline(body, restartTimer, ffmpeg.stdin).catch(() => {});
    const [exitCode] = await closed;
    if (exitCode === 'ENOENT') throw new Failure('MISUSED', 'install ffmpeg, or set FFMPEG_PATH');
    if (exitCode !== 0) throw new Failure('FFMPEG', `it ended with ${exitCode}`);
    throw new Failure('STREAM', silence.signal.aborted ? 'it fell silent' : 'the connection was lost');
  } finally {
    clearTimeout(timer);
  }

  async function* restartTimer(/** @type {AsyncIterable<Uint8Array>} */ audio) {
    for await (const chunk of audio) {
      timer.refresh();
      yield chunk;
    }
  }
}

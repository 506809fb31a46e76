#!/usr/bin/env node
/**
 * Records the official stream to MP3 files, unattended, until it is told to stop (SIGTERM, SIGINT):
 *
 *   AUDIO_USERNAME=demo@radio.example node docs/examples/record.mjs [folder] < file-with-the-password
 *
 * AUDIO_API is the API's address (http://127.0.0.1:4000/graphql when unset); AUDIO_PASSWORD may stand for standard input;
 * FFMPEG_PATH names ffmpeg where it is not on PATH. A file for each connection, named after when and as which it was opened:
 * `audio-20261121T183000Z-0001.mp3`. Needs Node 20 and ffmpeg, and nothing else; copy it together with recorder.mjs.
 *
 * ffmpeg is fed through a pipe and never told the address: arguments, environments and playlists can be read by others on
 * the machine, and the address opens the stream. So we also see why a connection was refused, and ending the pipe lets
 * ffmpeg finish its file.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createApi, EXIT_MISUSED, Failure, keepRecording, networkCode, Stop } from './recorder.mjs';

/** A live stream that says nothing for so long is lost, although nobody hung up. */
const SILENCE_LIMIT_MS = 10_000;
const FFMPEG_END_LIMIT_MS = 10_000;

const { AUDIO_API = 'http://127.0.0.1:4000/graphql', AUDIO_USERNAME, AUDIO_PASSWORD } = process.env;
const { FFMPEG_PATH = 'ffmpeg', PATH } = process.env;
const folder = process.argv[2] ?? '.';
const stopping = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stopping.abort());

try {
  await run();
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  log(error.message);
  process.exitCode = error.exitCode;
  stopping.abort();
}

async function run() {
  if (!AUDIO_USERNAME) throw new Stop(EXIT_MISUSED, 'AUDIO_USERNAME is missing.');
  if (!isPrivate(AUDIO_API)) {
    throw new Stop(EXIT_MISUSED, 'AUDIO_API has to be an https:// address, for the password goes there.');
  }
  const password = AUDIO_PASSWORD ?? (await firstLineOfInput());
  await mkdir(folder, { recursive: true });
  const nowMs = () => performance.now();
  await keepRecording({
    api: createApi({ address: AUDIO_API, username: AUDIO_USERNAME, password, fetch, nowMs }),
    recordConnection,
    nowMs,
    wait: (ms, signal) => delay(ms, undefined, { signal }).catch(() => {}),
    random: Math.random,
    log,
    signal: stopping.signal,
  });
}

/**
 * Records one connection, from its opening to its end.
 * @param {string} streamUrl
 * @param {number} number
 */
async function recordConnection(streamUrl, number) {
  const silence = new AbortController();
  const patience = setTimeout(() => silence.abort(), SILENCE_LIMIT_MS);
  try {
    const signal = AbortSignal.any([stopping.signal, silence.signal]);
    const response = await fetch(streamUrl, { signal }).catch((error) => {
      throw new Failure('STREAM', `the stream does not open (${networkCode(error)})`);
    });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new Failure('STREAM', `the stream is refused with status ${response.status}`);
    }
    const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
    const file = path.join(folder, `audio-${stamp}-${String(number).padStart(4, '0')}.mp3`);
    log(`Recording ${file}`);
    let ending = 'it came to its end';
    await writeFile(file, untilItEnds(response.body));
    if (!stopping.signal.aborted) throw new Failure('STREAM', `the stream was lost: ${ending}`);

    /** @param {AsyncIterable<Uint8Array>} body */
    async function* untilItEnds(body) {
      try {
        for await (const audio of body) {
          patience.refresh();
          yield audio;
        }
      } catch (error) {
        ending = silence.signal.aborted ? 'it fell silent' : networkCode(error);
      }
    }
  } finally {
    clearTimeout(patience);
  }
}

/**
 * ffmpeg takes whole frames only and writes the length to the front when the audio ends.
 * @param {string} file
 * @param {AsyncIterable<Uint8Array>} audio
 */
async function writeFile(file, audio) {
  const format = ['-f', 'mp3', '-probesize', '32768', '-i', 'pipe:0', '-c', 'copy', '-flush_packets', '1'];
  const ffmpeg = spawn(FFMPEG_PATH, ['-hide_banner', '-loglevel', 'error', '-n', ...format, file], {
    stdio: ['pipe', 'ignore', 'pipe'],
    // Without the password; and Ctrl-C is for us, who end it in order.
    env: { PATH },
    detached: true,
  });
  let said = '';
  ffmpeg.stderr.setEncoding('utf8').on('data', (text) => {
    said = text;
  });
  const closed = once(ffmpeg, 'close').catch((error) => {
    throw new Stop(
      EXIT_MISUSED,
      `ffmpeg does not start (${networkCode(error)}): install it, or set FFMPEG_PATH.`,
    );
  });
  // What goes wrong with the pipe is told by how ffmpeg ends.
  await Promise.race([pipeline(audio, ffmpeg.stdin).catch(() => {}), closed]);
  const tooLate = setTimeout(() => ffmpeg.kill('SIGKILL'), FFMPEG_END_LIMIT_MS);
  const [code] = await closed;
  clearTimeout(tooLate);
  if (code !== 0)
    throw new Failure('RECORDER', `ffmpeg ended with ${code}: ${said.trim().split('\n').at(-1)}`);
}

/** @returns {Promise<string>} */
async function firstLineOfInput() {
  if (process.stdin.isTTY) throw new Stop(EXIT_MISUSED, 'Give the password on standard input: < file');
  for await (const line of createInterface(process.stdin)) {
    // Whoever gave it may leave it open, which would keep us from ending.
    process.stdin.destroy();
    return line;
  }
  throw new Stop(EXIT_MISUSED, 'There is no password: set AUDIO_PASSWORD, or give it on standard input.');
}

/** @param {string} address */
function isPrivate(address) {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}

/** @param {string} message */
function log(message) {
  process.stderr.write(`${new Date().toISOString()} ${message}\n`);
}

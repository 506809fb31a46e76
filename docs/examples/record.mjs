#!/usr/bin/env node
/**
 * Records the official stream to MP3 files, unattended; `--help` says how to run it. Copy it together with recorder.mjs.
 *
 * ffmpeg reads from a pipe and never learns the address, which opens the stream: others on the machine can read arguments,
 * environments and playlists. The pipe also shows why a connection was refused, and closing it lets ffmpeg finish its file.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createApi, EXIT_MISUSED, Failure, keepRecording, networkCode, Stop } from './recorder.mjs';

/** A live stream that is silent for this long is lost, even if the connection stands. */
const SILENCE_LIMIT_MS = 10_000;
const FFMPEG_END_LIMIT_MS = 10_000;

const { AUDIO_API = 'http://127.0.0.1:4000/graphql', AUDIO_USERNAME, AUDIO_PASSWORD } = process.env;
const { FFMPEG_PATH = 'ffmpeg', PATH } = process.env;
const HELP = `Usage: AUDIO_USERNAME=demo@radio.example node record.mjs [folder] < file-with-the-password

Records the official stream, unattended, until SIGTERM or SIGINT (Ctrl-C), which finish the file; a second one ends at once.
The folder is the current one unless it is named, and made if only it is missing. Each connection has a file of its own, named
after when and as which it was opened: audio-20261121T183000Z-0001.mp3. The log goes to standard error.

  AUDIO_API       the API's address, http://127.0.0.1:4000/graphql when unset; https:// to any other machine
  AUDIO_USERNAME  the account
  AUDIO_PASSWORD  its password, in place of standard input
  FFMPEG_PATH     ffmpeg, where it is not on PATH

Ends with 0 after a signal, with 77 when the account is refused and 78 when something has to be corrected first; over anything
else it tries again. Needs Node 20, ffmpeg, and recorder.mjs beside it.
`;

const SIGNALS = /** @type {const} */ (['SIGTERM', 'SIGINT']);
const stopping = new AbortController();
for (const signal of SIGNALS) process.on(signal, stop);

try {
  await run();
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  log(error.message);
  process.exitCode = error.exitCode;
  stopping.abort();
}

async function run() {
  const { values, positionals } = readArguments();
  if (values.help) return void process.stdout.write(HELP);
  if (!AUDIO_USERNAME) throw new Stop(EXIT_MISUSED, 'AUDIO_USERNAME is missing.');
  if (!isPrivate(AUDIO_API)) {
    throw new Stop(
      EXIT_MISUSED,
      'AUDIO_API has to be an https:// address, for the password goes there; http:// leads to this machine alone.',
    );
  }
  const folder = await usableFolder(positionals[0] ?? '.');
  const password = AUDIO_PASSWORD ?? (await firstLineOfInput());
  if (stopping.signal.aborted) return;
  if (password === '') {
    throw new Stop(EXIT_MISUSED, 'There is no password: set AUDIO_PASSWORD, or give it on standard input.');
  }
  const nowMs = () => performance.now();
  await keepRecording({
    api: createApi({ address: AUDIO_API, username: AUDIO_USERNAME, password, fetch, nowMs }),
    recordConnection: (streamUrl, number) => recordConnection(streamUrl, folder, number),
    nowMs,
    wait: (ms, signal) => delay(ms, undefined, { signal }).catch(() => {}),
    random: Math.random,
    log,
    signal: stopping.signal,
  });
}

/** Ends in order at the first signal; a second one ends the process at once. */
function stop() {
  for (const signal of SIGNALS) process.removeListener(signal, stop);
  log('Ending in order; a second signal ends at once.');
  stopping.abort();
}

function readArguments() {
  try {
    const read = parseArgs({ options: { help: { type: 'boolean', short: 'h' } }, allowPositionals: true });
    if (read.positionals.length <= 1) return read;
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('. ') : [];
    throw new Stop(EXIT_MISUSED, `${reason}. See --help.`);
  }
  throw new Stop(EXIT_MISUSED, 'Name one folder. See --help.');
}

/**
 * Returns the folder's absolute path, so that ffmpeg takes none for an option. Creates only the last folder of a missing path:
 * a recursive `mkdir` never ends in some places, such as /proc.
 * @param {string} named
 */
async function usableFolder(named) {
  const folder = path.resolve(named);
  try {
    await mkdir(folder).catch((error) => {
      if (networkCode(error) !== 'EEXIST') throw error;
    });
    await access(`${folder}${path.sep}.`, constants.W_OK);
    return folder;
  } catch (error) {
    throw new Stop(EXIT_MISUSED, `Nothing can be recorded to ${folder} (${networkCode(error)}).`);
  }
}

/**
 * Records one connection, from its opening to its end.
 * @param {string} streamUrl
 * @param {string} folder
 * @param {number} number
 */
async function recordConnection(streamUrl, folder, number) {
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
 * Writes the audio by ffmpeg, which takes whole frames only and writes the length to the front at the end.
 * @param {string} file
 * @param {AsyncIterable<Uint8Array>} audio
 */
async function writeFile(file, audio) {
  const format = ['-f', 'mp3', '-probesize', '32768', '-i', 'pipe:0', '-c', 'copy', '-flush_packets', '1'];
  const ffmpeg = spawn(FFMPEG_PATH, ['-hide_banner', '-loglevel', 'error', '-n', ...format, file], {
    stdio: ['pipe', 'ignore', 'pipe'],
    // Without the password; detached, so that Ctrl-C reaches only this process, which ends ffmpeg in order.
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
  // Ignores faults of the pipe: ffmpeg's exit code tells them.
  await Promise.race([pipeline(audio, ffmpeg.stdin).catch(() => {}), closed]);
  const tooLate = setTimeout(() => ffmpeg.kill('SIGKILL'), FFMPEG_END_LIMIT_MS);
  const [code, signal] = await closed;
  clearTimeout(tooLate);
  if (code !== 0) {
    const reason = said.trim().split('\n').at(-1);
    throw new Failure('RECORDER', `ffmpeg ended with ${code ?? signal}${reason && `: ${reason}`}`);
  }
}

/** Returns an empty string if there is none. */
async function firstLineOfInput() {
  if (process.stdin.isTTY) throw new Stop(EXIT_MISUSED, 'Give the password on standard input: < file');
  for await (const line of createInterface({ input: process.stdin, signal: stopping.signal })) {
    // Closes standard input: left open by the caller, it would keep the process alive.
    process.stdin.destroy();
    return line;
  }
  process.stdin.destroy();
  return '';
}

/** @param {string} address */
function isPrivate(address) {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isHere);
}

/** @param {string} message */
function log(message) {
  process.stderr.write(`${new Date().toISOString()} ${message}\n`);
}

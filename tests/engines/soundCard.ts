import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, vi } from 'vitest';
import { launchServer, stopServer } from '../support/serverProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { requireFfmpeg, requireTool } from '../support/testTools.ts';
import { RECORDED_HZ, type Recording } from './recording.ts';

const SINK = 'speaker';
const SPEAKER = ['module-null-sink', `sink_name=${SINK}`];
/** Quieter than any programme; digital silence is -91 dB. */
const SILENCE_DB = -60;

/** Starts a PulseAudio of its own with a speaker that nobody hears, without which Firefox opens no stream. */
export async function startSoundCard() {
  const runtime = temporaryFolder();
  // Everything that a browser would otherwise write into the user's home.
  const env = { HOME: runtime, XDG_RUNTIME_DIR: runtime, LANG: 'C.UTF-8' };
  const pulseaudio = launchServer(
    [
      ...['-n', '--exit-idle-time=-1', '--daemonize=no'],
      ...['-L', SPEAKER.join(' '), '-L', 'module-native-protocol-unix'],
    ],
    env,
    { program: requireTool('pulseaudio') },
  );
  const socket = path.join(runtime, 'pulse', 'native');
  await vi.waitFor(() => expect(existsSync(socket), pulseaudio.output).toBe(true), { timeout: 20_000 });
  const clientEnv = { ...env, PULSE_SERVER: `unix:${socket}` };

  /** Returns the loudest sample of the next half second, in decibels; 0 is full scale. */
  async function loudness(): Promise<number> {
    const { stderr } = await promisify(execFile)(
      requireFfmpeg().ffmpeg,
      [
        ...['-nostdin', '-f', 'pulse', '-i', `${SINK}.monitor`],
        ...['-t', '0.5', '-af', 'volumedetect', '-f', 'null', '-'],
      ],
      { env: { PATH: process.env.PATH ?? '', ...clientEnv } },
    );
    return Number(/max_volume: (\S+) dB/.exec(stderr)?.[1]);
  }

  function record() {
    const recorder = spawn(
      requireFfmpeg().ffmpeg,
      [
        ...['-nostdin', '-v', 'fatal', '-f', 'pulse', '-fragment_size', '4096', '-i', `${SINK}.monitor`],
        ...['-ac', '1', '-ar', String(RECORDED_HZ), '-f', 's16le', '-'],
      ],
      { env: { PATH: process.env.PATH ?? '', ...clientEnv }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const chunks: Buffer[] = [];
    let bytes = 0;
    let startMs = Number.POSITIVE_INFINITY;
    recorder.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      // A chunk can arrive late, never early.
      startMs = Math.min(startMs, performance.now() - ((bytes / 2) * 1_000) / RECORDED_HZ);
    });
    const recordedMs = () => ((bytes / 2) * 1_000) / RECORDED_HZ;
    return {
      async recordsFor(seconds: number): Promise<void> {
        const endMs = recordedMs() + seconds * 1_000;
        while (recordedMs() < endMs) await once(recorder.stdout, 'data');
      },
      async stop(): Promise<Recording> {
        const closed = once(recorder, 'close');
        recorder.kill('SIGTERM');
        await closed;
        const whole = Buffer.concat(chunks);
        const samples = new Int16Array(whole.buffer, whole.byteOffset, Math.floor(whole.length / 2));
        return { samples, startMs, lengthMs: recordedMs() };
      },
    };
  }

  async function pactl(...args: string[]): Promise<void> {
    const program = path.join(path.dirname(requireTool('pulseaudio')), 'pactl');
    await promisify(execFile)(program, args, { env: clientEnv });
  }

  return {
    record,
    env: clientEnv,
    sounds: async () => (await loudness()) > SILENCE_DB,
    unplug: () => pactl('unload-module', 'module-null-sink'),
    plugIn: () => pactl('load-module', ...SPEAKER),
    close: () => stopServer(pulseaudio, 'SIGTERM'),
  };
}

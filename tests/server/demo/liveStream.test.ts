import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/folders.ts';
import {
  BURST_BYTES,
  createIcyInterleaver,
  createLiveStream,
  ICY_METAINT_BYTES,
  MAX_BUFFERED_BYTES,
  readMp3Loop,
  STALL_LIMIT_MS,
} from '../../../server/demo/liveStream.ts';
import { SECOND_MS } from '../../../shared/durations.ts';

const FILE = readFileSync(path.join(PROJECT_ROOT, 'server/demo/audio/senal-de-demostracion.mp3'));
const LOOP = readMp3Loop(FILE);
const FRAME_BYTES = FILE.length / LOOP.frameCount;
const BURST_FRAMES = Math.ceil(BURST_BYTES / FRAME_BYTES);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A listener that remembers what it reads; one that is stuck reads nothing more until told to go on. */
function createListener(isStuck: boolean) {
  let goOn = () => {};
  const heard: Buffer[] = [];
  const listener = new Writable({
    write(chunk, _encoding, done) {
      heard.push(chunk);
      if (isStuck) goOn = done;
      else done();
    },
  });
  return {
    listener,
    heard: () => Buffer.concat(heard),
    goOn() {
      isStuck = false;
      goOn();
    },
  };
}
const quickListener = () => createListener(false);
const stuckListener = () => createListener(true);

const closed = (listener: Writable) => new Promise((resolve) => listener.once('close', resolve));

test('a listener is fed the loop at the pace of the clock', () => {
  const { listener, heard } = quickListener();
  createLiveStream(LOOP).join(listener);
  expect(heard().length).toBe(BURST_FRAMES * FRAME_BYTES);
  vi.advanceTimersByTime(90 * SECOND_MS);
  const threeLoops = Buffer.concat([FILE, FILE, FILE]);
  expect(heard().length).toBe((BURST_FRAMES + (90 * SECOND_MS) / LOOP.frameDurationMs) * FRAME_BYTES);
  expect(heard().equals(threeLoops.subarray(0, heard().length))).toBe(true);
});

test('a listener joins where the broadcast is', () => {
  const live = createLiveStream(LOOP);
  vi.advanceTimersByTime(10 * SECOND_MS);
  const { listener, heard } = quickListener();
  live.join(listener);
  const begin = Math.floor((10 * SECOND_MS) / LOOP.frameDurationMs) * FRAME_BYTES;
  expect(heard().subarray(0, FRAME_BYTES)).toEqual(FILE.subarray(begin, begin + FRAME_BYTES));
});

test('a timer that is an hour late sends no more than a burst', () => {
  const { listener, heard } = quickListener();
  createLiveStream(LOOP).join(listener);
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 3600 * SECOND_MS);
  vi.advanceTimersToNextTimer();
  expect(heard().length).toBe(2 * BURST_FRAMES * FRAME_BYTES);
});

const fullAfterMs = 6 * SECOND_MS;

test('a listener that takes nothing is disconnected before much waits for it', async () => {
  const live = createLiveStream(LOOP);
  const { listener } = stuckListener();
  const gone = closed(listener);
  live.join(listener);
  let mostBuffered = 0;
  for (let passedMs = 0; passedMs < fullAfterMs + STALL_LIMIT_MS; passedMs += 100) {
    vi.advanceTimersByTime(100);
    mostBuffered = Math.max(mostBuffered, listener.writableLength);
  }
  expect(listener.destroyed).toBe(true);
  await gone;
  expect(mostBuffered).toBeGreaterThan(MAX_BUFFERED_BYTES);
  expect(mostBuffered).toBeLessThan(MAX_BUFFERED_BYTES + BURST_BYTES);
  expect(live.listenerCount).toBe(0);
});

test('a listener that takes nothing but goes on in time joins the live edge with whole frames', async () => {
  const live = createLiveStream(LOOP);
  const stuck = stuckListener();
  const quick = quickListener();
  live.join(stuck.listener);
  live.join(quick.listener);
  vi.advanceTimersByTime(fullAfterMs + STALL_LIMIT_MS - SECOND_MS);
  stuck.goOn();
  await expect.poll(() => stuck.listener.writableLength).toBe(0);
  vi.advanceTimersByTime(20 * SECOND_MS);
  expect(stuck.listener.destroyed).toBe(false);
  const sinceBack = quick.heard().subarray(-500 * FRAME_BYTES);
  expect(stuck.heard().subarray(-sinceBack.length).equals(sinceBack)).toBe(true);
  expect(stuck.heard().length).toBeLessThan(quick.heard().length);
  expect(stuck.heard().length % FRAME_BYTES).toBe(0);
});

test('the timer stops with the last listener', async () => {
  const live = createLiveStream(LOOP);
  expect(vi.getTimerCount()).toBe(0);
  const [first, second] = [quickListener().listener, quickListener().listener];
  live.join(first);
  live.join(second);
  expect([live.listenerCount, vi.getTimerCount()]).toEqual([2, 1]);
  first.destroy();
  await closed(first);
  expect([live.listenerCount, vi.getTimerCount()]).toEqual([1, 1]);
  second.destroy(new Error('connection reset'));
  await closed(second);
  expect([live.listenerCount, vi.getTimerCount()]).toEqual([0, 0]);
});

test('closing the broadcast disconnects everyone', () => {
  const live = createLiveStream(LOOP);
  const listeners = [quickListener().listener, stuckListener().listener];
  for (const listener of listeners) live.join(listener);
  live.close();
  expect(listeners.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  expect([live.listenerCount, vi.getTimerCount()]).toEqual([0, 0]);
});

const TITLE = 'Señal de demostración';

/** Splits the bytes of an `Icy-MetaData: 1` connection into the sound and the text of each whole metadata block. */
function splitIcy(wire: Buffer, metaintBytes: number) {
  const sound: Buffer[] = [];
  const blocks: string[] = [];
  let at = 0;
  while (at < wire.length) {
    sound.push(wire.subarray(at, at + metaintBytes));
    at += metaintBytes;
    if (at >= wire.length) break;
    const end = at + 1 + 16 * wire.readUInt8(at);
    blocks.push(wire.toString('utf8', at + 1, end).replace(/\0+$/, ''));
    at = end;
  }
  return { sound: Buffer.concat(sound), blocks };
}

test.each([288, 16_000, 70_000])(
  'sound in runs of %d bytes is whole between the metadata blocks',
  (runBytes) => {
    const audio = randomBytes(70_000);
    const interleave = createIcyInterleaver(TITLE);
    const wire: Buffer[] = [];
    for (let at = 0; at < audio.length; at += runBytes)
      wire.push(interleave(audio.subarray(at, at + runBytes)));

    const { sound, blocks } = splitIcy(Buffer.concat(wire), ICY_METAINT_BYTES);
    expect(sound.equals(audio)).toBe(true);
    expect(blocks).toEqual([`StreamTitle='${TITLE}';`, '', '', '']);
  },
);

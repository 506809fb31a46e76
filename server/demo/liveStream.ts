import type { Writable } from 'node:stream';
import type { Mp3Loop } from './mp3Frames.ts';

/**
 * Sent at once to a new listener, and the most that is sent after a pause, as Icecast does. Chromium reads 32 KiB at a
 * time: with less it would start late and run dry between reads.
 */
export const BURST_BYTES = 64 * 1024;

export const MAX_BUFFERED_BYTES = 128 * 1024;

export const STALL_LIMIT_MS = 15_000;

const TICK_MS = 100;

export type LiveStream = {
  readonly listenerCount: number;
  join(listener: Writable, encode?: (frames: Buffer) => Buffer): void;
  close(): void;
};

type Seat = { nextFrame: number; lastFedMs: number; encode: (frames: Buffer) => Buffer };

/**
 * Creates an endless live broadcast of a loop. The clock alone decides which frame is on air, so that all listeners
 * hear the same one and a late timer loses nothing. The timer runs only while there are listeners.
 */
export function createLiveStream(loop: Mp3Loop): LiveStream {
  const startMs = performance.now();
  const burstFrames = Math.ceil((BURST_BYTES * 8) / (loop.bitRateKbit * loop.frameDurationMs));
  const seats = new Map<Writable, Seat>();
  let timer: NodeJS.Timeout | undefined;

  const liveEdge = (nowMs: number) => burstFrames + Math.floor((nowMs - startMs) / loop.frameDurationMs);

  function feed(listener: Writable, seat: Seat, nowMs: number): void {
    if (listener.writableLength > MAX_BUFFERED_BYTES) {
      if (nowMs - seat.lastFedMs > STALL_LIMIT_MS) listener.destroy();
      return;
    }
    seat.lastFedMs = nowMs;
    const edge = liveEdge(nowMs);
    const first = Math.max(seat.nextFrame, edge - burstFrames);
    for (const frames of loop.slices(first, edge)) listener.write(seat.encode(frames));
    seat.nextFrame = edge;
  }

  function tick(): void {
    const nowMs = performance.now();
    for (const [listener, seat] of seats) feed(listener, seat, nowMs);
  }

  function leave(listener: Writable): void {
    seats.delete(listener);
    if (seats.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    get listenerCount() {
      return seats.size;
    },
    join(listener, encode = (frames) => frames) {
      if (listener.destroyed) return;
      const nowMs = performance.now();
      const seat = { nextFrame: liveEdge(nowMs) - burstFrames, lastFedMs: nowMs, encode };
      seats.set(listener, seat);
      listener.once('close', () => leave(listener));
      listener.on('error', () => listener.destroy());
      timer ??= setInterval(tick, TICK_MS);
      feed(listener, seat, nowMs);
    },
    close() {
      for (const listener of seats.keys()) {
        listener.destroy();
        leave(listener);
      }
    },
  };
}

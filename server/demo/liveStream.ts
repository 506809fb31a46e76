import type { Writable } from 'node:stream';
import type { Mp3Loop } from './mp3Frames.ts';

/**
 * What a listener gets at once on joining, and at most after a pause: as much as Icecast gives. Chromium reads 32 KiB
 * at a time, so that with less it starts late and runs dry between reads.
 */
export const BURST_BYTES = 64 * 1024;

/** What may wait in a listener's buffer; beyond it frames are left out until the listener has taken them. */
export const MAX_BUFFERED_BYTES = 128 * 1024;

/** A listener whose buffer has stayed that full for so long is let go. */
export const STALL_LIMIT_MS = 15_000;

const TICK_MS = 100;

export type LiveStreamOptions = {
  /** A clock that never goes back, in milliseconds. */
  monotonicMs?: () => number;
};

export type LiveStream = {
  /** How many listen. */
  readonly listenerCount: number;
  /**
   * Feeds the listener from the live edge on, until it closes. `encode` turns each run of frames into what goes
   * over the wire.
   */
  join(listener: Writable, encode?: (frames: Buffer) => Buffer): void;
  /** Destroys every listener. */
  close(): void;
};

type Seat = { nextFrame: number; lastFedMs: number; encode: (frames: Buffer) => Buffer };

/**
 * An endless live broadcast of a loop. Which frame is on air follows from the clock alone, so that every listener
 * hears the same one and a late timer loses nothing. The timer runs only while someone listens.
 */
export function createLiveStream(
  loop: Mp3Loop,
  { monotonicMs = () => performance.now() }: LiveStreamOptions = {},
): LiveStream {
  const startMs = monotonicMs();
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
    const nowMs = monotonicMs();
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
      const nowMs = monotonicMs();
      const seat = { nextFrame: liveEdge(nowMs) - burstFrames, lastFedMs: nowMs, encode };
      seats.set(listener, seat);
      listener.once('close', () => leave(listener));
      listener.on('error', () => listener.destroy());
      timer ??= setInterval(tick, TICK_MS);
      feed(listener, seat, nowMs);
    },
    close() {
      for (const listener of seats.keys()) listener.destroy();
      seats.clear();
      clearInterval(timer);
      timer = undefined;
    },
  };
}

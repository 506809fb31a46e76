import type { Writable } from 'node:stream';

/**
 * Sent at once to a new listener, and the most that is sent after a pause, as Icecast does. Chromium reads 32 KiB at a
 * time: with less it would start late and run dry between reads.
 */
export const BURST_BYTES = 64 * 1024;

export const MAX_BUFFERED_BYTES = 128 * 1024;

export const STALL_LIMIT_MS = 15_000;

const TICK_MS = 100;

type LiveStream = {
  readonly listenerCount: number;
  join(listener: Writable, encode?: (frames: Buffer) => Buffer): void;
  close(): void;
};

type Seat = { nextFrame: number; lastFedMs: number; encode: (frames: Buffer) => Buffer };

const HEADER_BYTES = 4;
const SAMPLES_PER_FRAME = 1152;
const BIT_RATES_KBIT = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const SAMPLE_RATES_HZ = [44_100, 48_000, 32_000];

type Mp3Loop = {
  frameCount: number;
  frameDurationMs: number;
  bitRateKbit: number;
  /** Returns the frames from `first` up to `end` (excluded), counted endlessly over the loop, without copying. */
  slices(first: number, end: number): Buffer[];
};
export const ICY_METAINT_BYTES = 16_000;

const BLOCK_UNIT_BYTES = 16;

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

/** Throws unless the file holds only MPEG-1 Layer III frames of one bit rate and sample rate, and no ID3 tag. */
export function readMp3Loop(file: Buffer): Mp3Loop {
  const offsets: number[] = [];
  const rates = readHeader(file, 0);
  let offset = 0;
  while (offset < file.length) {
    const { frameBytes, bitRateKbit, sampleRateHz } = readHeader(file, offset);
    if (bitRateKbit !== rates.bitRateKbit || sampleRateHz !== rates.sampleRateHz) {
      throw new Error(`The MP3 changes its rate at byte ${offset}`);
    }
    offsets.push(offset);
    offset += frameBytes;
  }
  if (offset > file.length) throw new Error('The last MP3 frame is cut short');

  const frameCount = offsets.length;
  const offsetOf = (index: number) => offsets[index] ?? file.length;
  return {
    frameCount,
    frameDurationMs: (SAMPLES_PER_FRAME / rates.sampleRateHz) * 1000,
    bitRateKbit: rates.bitRateKbit,
    slices(first, end) {
      const slices: Buffer[] = [];
      for (let at = first; at < end; ) {
        const index = at % frameCount;
        const count = Math.min(end - at, frameCount - index);
        slices.push(file.subarray(offsetOf(index), offsetOf(index + count)));
        at += count;
      }
      return slices;
    },
  };
}

/**
 * Inserts SHOUTcast metadata into the sound of one connection, for players that sent `Icy-MetaData: 1`: the title in
 * the first block, then empty blocks, because it does not change.
 */
export function createIcyInterleaver(title: string): (audio: Buffer) => Buffer {
  let bytesUntilBlock = ICY_METAINT_BYTES;
  let block = titleBlock(title);

  return (audio) => {
    const parts: Buffer[] = [];
    let rest = audio;
    while (rest.length >= bytesUntilBlock) {
      parts.push(rest.subarray(0, bytesUntilBlock), block);
      rest = rest.subarray(bytesUntilBlock);
      bytesUntilBlock = ICY_METAINT_BYTES;
      block = Buffer.alloc(1);
    }
    bytesUntilBlock -= rest.length;
    parts.push(rest);
    return Buffer.concat(parts);
  };
}

function readHeader(file: Buffer, offset: number) {
  const [sync = 0, version = 0, rateBits = 0] = file.subarray(offset, offset + HEADER_BYTES);
  const bitRateKbit = BIT_RATES_KBIT[rateBits >> 4];
  const sampleRateHz = SAMPLE_RATES_HZ[(rateBits >> 2) & 3];
  const isMpeg1Layer3 = sync === 0xff && (version & 0xfe) === 0xfa;
  if (!isMpeg1Layer3 || !bitRateKbit || !sampleRateHz) throw new Error(`No MP3 frame at byte ${offset}`);
  const paddingBytes = (rateBits >> 1) & 1;
  const frameBytes = Math.floor(((SAMPLES_PER_FRAME / 8) * bitRateKbit * 1000) / sampleRateHz) + paddingBytes;
  return { frameBytes, bitRateKbit, sampleRateHz };
}

function titleBlock(title: string): Buffer {
  const text = Buffer.from(`StreamTitle='${title}';`);
  const units = Math.ceil(text.length / BLOCK_UNIT_BYTES);
  const block = Buffer.alloc(1 + units * BLOCK_UNIT_BYTES);
  block[0] = units;
  text.copy(block, 1);
  return block;
}

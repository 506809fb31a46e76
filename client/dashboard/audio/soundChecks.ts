import { SECOND_MS } from '../../../shared/durations.ts';
import type { ConnectionEvent } from '../../page/player/connectionEvents.ts';

const SILENT_AFTER_MS = 10_000;
/** Quieter than the noise of any open microphone (-80 dB), louder than what a decoder makes of digital silence. */
const SILENT_PEAK = 0.0001;
/** Nothing is measured between two checks, which a hidden page may delay. */
const LONGEST_SILENCE_COUNTED_MS = 2_000;
/** Chromium and Firefox fire `progress` every 0.36 s while data arrives. */
const QUIET_ALLOWED_MS = 1_200;
/** A provider that sends in bursts may pause for half as long again as its longest pause so far. */
const LONGEST_QUIET_FACTOR = 1.5;
const STEADY_FROM_ARRIVALS = 3;
/** A longer gap between two checks counts as this much: its `progress` events may just be late. */
const LONGEST_QUIET_COUNTED_MS = 1_000;
/** Delay in the first seconds of a connection's sound does not count: sound cards and buffers fill then. */
const SETTLING_MS = 5_000;
/** No server buffers this much for a listener, so such a gap is a sleep, not delay. */
const LONGEST_PAUSE_MS = 45_000;
const SHORTEST_SLEEP_MS = 4_000;

/** Looks for what an element that has played fires no event for: silence, the end of its data, delay. */
export function createSoundChecks(
  element: HTMLAudioElement,
  emit: (event: ConnectionEvent) => void,
  peak: () => number | null,
) {
  let arrival = NO_DATA_YET;
  let endless = false;
  let lastEnd = 0;
  let delay = startDelay(positionNow());
  let lastBehindSeconds = 0;
  let silentMs = 0;
  let isSilent: boolean | null = null;

  function checkSilence(gapMs: number): void {
    const measured = peak();
    const wasSilent = isSilent;
    silentMs = silentFor(silentMs, measured, gapMs);
    if (isSilentProgramme(silentMs)) isSilent = true;
    // Silence counts as ended once nothing is measured.
    else if (silentMs === 0 && (measured !== null || isSilent)) isSilent = false;
    if (isSilent !== wasSilent) emit({ type: isSilent ? 'silent' : 'audible' });
  }

  function checkData(gapMs: number, playsBufferOnly: boolean): void {
    const hadEnded = arrival.ended;
    endless ||= element.duration === Number.POSITIVE_INFINITY;
    // Firefox loads on after its output failed, and tells it by `buffered` alone.
    const isSilentlyLoading = element.error !== null && !playsBufferOnly;
    const isLoading = isSilentlyLoading || element.networkState === element.NETWORK_LOADING;
    const end = bufferedEnd(element);
    if (isSilentlyLoading && end > lastEnd) arrival = recordData(arrival);
    lastEnd = end;
    arrival = recordCheck(arrival, {
      gapMs,
      tellsBuffer: element.buffered.length > 0,
      isLoading,
      hasLittleData: element.readyState <= element.HAVE_FUTURE_DATA,
      // Firefox gives the length of what has arrived of an Ogg stream as its duration, while it goes on loading.
      knowsEnd: playsBufferOnly || (endless && !isLoading && Number.isFinite(element.duration)),
    });
    if (arrival.ended) emit({ type: 'dataStopped' });
    else if (hadEnded) emit({ type: 'dataResumed' });
  }

  function checkDelay(isSpeedForced: boolean): void {
    const now = positionNow();
    if (mayHaveSlept(delay.last, now)) emit({ type: 'mayHaveSlept' });
    // Another connection would fall behind as fast.
    delay = isSpeedForced ? startDelay(now) : updateDelay(delay, now);
    const behindSeconds = Math.max(0, Math.round(delay.behindMs / SECOND_MS));
    if (behindSeconds !== lastBehindSeconds) emit({ type: 'behind', seconds: behindSeconds });
    lastBehindSeconds = behindSeconds;
  }

  function positionNow() {
    return { monotonicMs: performance.now(), epochMs: Date.now(), position: element.currentTime };
  }

  return {
    soundBegan(): void {
      delay = startDelay(positionNow());
    },
    dataArrived(): void {
      arrival = recordData(arrival);
    },
    check(gapMs: number, playsBufferOnly: boolean, isSpeedForced: boolean): void {
      checkSilence(gapMs);
      checkData(gapMs, playsBufferOnly);
      checkDelay(isSpeedForced);
    },
  };
}

function bufferedEnd({ buffered }: HTMLMediaElement): number {
  return buffered.length > 0 ? buffered.end(buffered.length - 1) : 0;
}

export function silentFor(beforeMs: number, peak: number | null, gapMs: number): number {
  return peak === null || peak > SILENT_PEAK ? 0 : beforeMs + Math.min(gapMs, LONGEST_SILENCE_COUNTED_MS);
}

export function isSilentProgramme(silentMs: number): boolean {
  return silentMs >= SILENT_AFTER_MS;
}

/** Counted since the sound began. `wasFull`: the browser once stopped loading because its buffer was full. */
export type DataArrival = {
  quietMs: number;
  longestQuietMs: number;
  arrivals: number;
  wasFull: boolean;
  ended: boolean;
};

export type CheckFacts = {
  gapMs: number;
  /** Whether `element.buffered` has ranges; it has none in WebKit. */
  tellsBuffer: boolean;
  isLoading: boolean;
  hasLittleData: boolean;
  knowsEnd: boolean;
};

export const NO_DATA_YET: DataArrival = {
  quietMs: 0,
  longestQuietMs: 0,
  arrivals: 0,
  wasFull: false,
  ended: false,
};

export function recordData(arrival: DataArrival): DataArrival {
  return {
    ...arrival,
    quietMs: 0,
    longestQuietMs: Math.max(arrival.longestQuietMs, arrival.quietMs),
    arrivals: arrival.quietMs < QUIET_ALLOWED_MS ? arrival.arrivals + 1 : Math.max(1, arrival.arrivals),
  };
}

export function recordCheck(
  arrival: DataArrival,
  { gapMs, tellsBuffer, isLoading, hasLittleData, knowsEnd }: CheckFacts,
): DataArrival {
  const quietMs = arrival.quietMs + Math.min(gapMs, LONGEST_QUIET_COUNTED_MS);
  const steady = tellsBuffer && arrival.arrivals >= STEADY_FROM_ARRIVALS;
  // A browser that does not tell `buffered` may have a full buffer: only little data shows that the stream stopped.
  const ranShort =
    !tellsBuffer && arrival.wasFull && isLoading && hasLittleData && quietMs > QUIET_ALLOWED_MS;
  const quietAllowedMs = Math.max(QUIET_ALLOWED_MS, arrival.longestQuietMs * LONGEST_QUIET_FACTOR);
  return {
    ...arrival,
    quietMs,
    wasFull: arrival.wasFull || !isLoading,
    ended: knowsEnd || (steady ? quietMs > quietAllowedMs : ranShort),
  };
}

export type PlaybackPosition = { monotonicMs: number; epochMs: number; position: number };

export type LiveDelay = { last: PlaybackPosition; settledAtMs: number; behindMs: number };

export function startDelay(now: PlaybackPosition): LiveDelay {
  return { last: now, settledAtMs: now.monotonicMs + SETTLING_MS, behindMs: 0 };
}

/**
 * Returns whether the wall clock ran ahead of the monotonic one by as much as a sleep after which a connection goes on.
 * Either the machine slept and its monotonic clock stopped meanwhile, as on some systems, or its wall clock was set.
 */
function mayHaveSlept(last: PlaybackPosition, now: PlaybackPosition): boolean {
  const aheadMs = now.epochMs - last.epochMs - (now.monotonicMs - last.monotonicMs);
  return aheadMs >= SHORTEST_SLEEP_MS && aheadMs <= LONGEST_PAUSE_MS;
}

export function updateDelay({ last, settledAtMs, behindMs }: LiveDelay, now: PlaybackPosition): LiveDelay {
  const passedMs = now.monotonicMs - last.monotonicMs;
  const missedMs = passedMs - (now.position - last.position) * SECOND_MS;
  const counts = now.monotonicMs >= settledAtMs && passedMs <= LONGEST_PAUSE_MS;
  return { last: now, settledAtMs, behindMs: counts ? behindMs + missedMs : behindMs };
}

/** Chromium and Firefox fire `progress` every 0.36 s while data arrives. */
const QUIET_ALLOWED_MS = 1_200;
/** A provider that sends in bursts may pause for half as long again as its longest pause so far. */
const LONGEST_QUIET_FACTOR = 1.5;
const STEADY_FROM_ARRIVALS = 3;
/** A longer gap between two checks counts as this much: its `progress` events may just be late. */
const LONGEST_GAP_COUNTED_MS = 1_000;

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
  const quietMs = arrival.quietMs + Math.min(gapMs, LONGEST_GAP_COUNTED_MS);
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

/** Chromium and Firefox fire `progress` every 0.36 s while data arrives. */
const QUIET_ALLOWED_MS = 1_200;
/** A provider that sends in portions is quiet between them: its longest pause so far, and half of it more, is allowed. */
const LONGEST_QUIET_FACTOR = 1.5;
const STEADY_FROM_ARRIVALS = 3;
/** A longer gap between two checks counts as this much, since `progress` events may only be late. */
const LONGEST_GAP_COUNTED_MS = 1_000;

/** Download statistics since the sound began; `wasFull`: the browser once stopped loading because its buffer was full. */
export type Supply = {
  quietMs: number;
  longestQuietMs: number;
  arrivals: number;
  wasFull: boolean;
  ended: boolean;
};

export type SupplyFacts = {
  gapMs: number;
  /** Whether `element.buffered` has ranges; it has none in WebKit. */
  tellsBuffer: boolean;
  isLoading: boolean;
  hasLittleData: boolean;
  knowsEnd: boolean;
};

export const NEW_SUPPLY: Supply = {
  quietMs: 0,
  longestQuietMs: 0,
  arrivals: 0,
  wasFull: false,
  ended: false,
};

export function dataArrived(supply: Supply): Supply {
  return {
    ...supply,
    quietMs: 0,
    longestQuietMs: Math.max(supply.longestQuietMs, supply.quietMs),
    arrivals: supply.quietMs < QUIET_ALLOWED_MS ? supply.arrivals + 1 : Math.max(1, supply.arrivals),
  };
}

export function supplyChecked(
  supply: Supply,
  { gapMs, tellsBuffer, isLoading, hasLittleData, knowsEnd }: SupplyFacts,
): Supply {
  const quietMs = supply.quietMs + Math.min(gapMs, LONGEST_GAP_COUNTED_MS);
  const steady = tellsBuffer && supply.arrivals >= STEADY_FROM_ARRIVALS;
  const ranShort = !tellsBuffer && supply.wasFull && isLoading && hasLittleData;
  const quietAllowedMs = Math.max(QUIET_ALLOWED_MS, supply.longestQuietMs * LONGEST_QUIET_FACTOR);
  return {
    ...supply,
    quietMs,
    wasFull: supply.wasFull || !isLoading,
    ended: knowsEnd || (steady ? quietMs > quietAllowedMs : ranShort),
  };
}

import { DAY_MS, SECOND_MS } from './durations.ts';

/**
 * Returns the instant, in epoch milliseconds, by which an end is shown: a day that ends at midnight UTC is shown as
 * ending in its last second, so that it is not taken for the day after.
 */
export function lastInstant(endMs: number): number {
  return endMs % DAY_MS === 0 ? endMs - SECOND_MS : endMs;
}

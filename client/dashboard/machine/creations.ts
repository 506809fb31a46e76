import type { Moment } from './moment.ts';

const FIRST_CREATION_MS = 300;
const CREATIONS_APART_MS = [30_000, 60_000, 120_000, 300_000];

/**
 * The creations for the present loss; times by the monotonic clock. `underWay`: pressed by the partner, or automatic.
 */
export type Creations = {
  count: number;
  notBefore: number;
  dueAt: number | null;
  underWay: 'pressed' | 'automatic' | null;
};

export const NO_CREATIONS: Creations = { count: 0, notBefore: 0, dueAt: null, underWay: null };

/** Schedules the next creation, or starts the one that is due. */
export function scheduleOrStart(before: Creations, { monotonicMs, chance }: Moment): Creations {
  const { count, notBefore } = before;
  const dueAt = before.dueAt ?? Math.max(monotonicMs + FIRST_CREATION_MS * chance, notBefore);
  if (monotonicMs < dueAt) return dueAt === before.dueAt ? before : { ...before, dueAt };
  const apartMs = CREATIONS_APART_MS[Math.min(count, CREATIONS_APART_MS.length - 1)] ?? 0;
  return { count: count + 1, dueAt: null, notBefore: monotonicMs + apartMs, underWay: 'automatic' };
}

export function cancelScheduled(before: Creations): Creations {
  return before.dueAt === null ? before : { ...before, dueAt: null };
}

export function recordFailedCreation(
  before: Creations,
  retryAfterSeconds: number,
  { monotonicMs }: Moment,
): Creations {
  const notBefore = Math.max(before.notBefore, monotonicMs + retryAfterSeconds * 1_000);
  return { ...before, notBefore, underWay: null };
}

export function resetCreations({ underWay }: Creations): Creations {
  return { ...NO_CREATIONS, underWay };
}

import type { Together } from './published.ts';

export const NEVER = Number.POSITIVE_INFINITY;

export type Clock = {
  epochMs(): number;
  monotonicMs(): number;
  chance(): number;
  /** Returns a function that cancels the call. */
  after(ms: number, act: () => void): () => void;
  /** Calls `onTick` several times a second. Returns a cleanup function. */
  startTicks(onTick: () => void): () => void;
};

/** A part that changes as time passes: `dueAt` is when next, by the monotonic clock, or `NEVER`. */
export type Timed = { dueAt(): number; onTime(): void };

/** Wakes each part on time. Call `schedule` when a part may be due earlier than before. */
export function createScheduler(clock: Clock, parts: readonly Timed[], together: Together) {
  let cancel = () => {};
  let isStopped = false;

  function schedule(): void {
    cancel();
    if (isStopped) return;
    const waitMs = Math.min(...parts.map((part) => part.dueAt())) - clock.monotonicMs();
    if (waitMs < NEVER) cancel = clock.after(Math.max(0, waitMs), () => together(check));
  }

  function check(): void {
    for (const part of parts) if (clock.monotonicMs() >= part.dueAt()) part.onTime();
    schedule();
  }

  function stop(): void {
    isStopped = true;
    cancel();
  }

  return { schedule, check, stop };
}

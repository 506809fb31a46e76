import type { Clock } from '../page/environment.ts';

const EVERY_MS = 400;

export const browserClock: Clock = {
  epochMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  random: () => Math.random(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  startTicks,
};

/** The worker ticks once a second on hidden pages too, whose own timers browsers delay by up to a minute. */
function startTicks(onTick: () => void): () => void {
  const timer = setInterval(onTick, EVERY_MS);
  const worker = startWorker();
  if (worker) worker.onmessage = onTick;
  return () => {
    clearInterval(timer);
    worker?.terminate();
  };
}

function startWorker(): Worker | null {
  try {
    return new Worker(new URL('./tickWorker.ts', import.meta.url));
  } catch {
    return null;
  }
}

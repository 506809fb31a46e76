const EVERY_MS = 400;

/** The worker ticks once a second on hidden pages too, whose own timers browsers delay by up to a minute. */
export function startTicks(onTick: () => void): () => void {
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

const EVERY_MS = 400;

/** Calls back several times a second; on a hidden page, whose own timers the browser delays by up to a minute, once a second. */
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

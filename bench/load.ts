import { createHistogram } from 'node:perf_hooks';
import { Pool } from 'undici';

export type Load = {
  origin: string;
  /** Requests under way at any time, each on a connection of its own. */
  connections: number;
  headers: Record<string, string>;
  body: string;
  /** Throws, or the figures would be those of another answer. */
  check: (answer: string) => void;
  warmUpMs: number;
  durationMs: number;
};

export type LoadFigures = { perSecond: number; p50Ms: number; p99Ms: number };

const NS_PER_MS = 1e6;

/** Asks `POST /graphql` over and over, each connection as soon as it is answered; counts after the warm-up. Each counts once at least. */
export async function drive(load: Load): Promise<LoadFigures> {
  const pool = new Pool(load.origin, { connections: load.connections, pipelining: 1 });
  const latencies = createHistogram();
  const request = {
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json', ...load.headers },
    body: load.body,
  } as const;
  const countFrom = performance.now() + load.warmUpMs;
  const until = countFrom + load.durationMs;
  let lastAnswer = until;

  async function askOn(): Promise<void> {
    for (let counted = 0, now = performance.now(); now < until || counted === 0; ) {
      const askedAt = now;
      const { body } = await pool.request(request);
      load.check(await body.text());
      now = performance.now();
      if (askedAt < countFrom) continue;
      counted += 1;
      latencies.record(Math.max(1, Math.round((now - askedAt) * NS_PER_MS)));
      lastAnswer = Math.max(lastAnswer, now);
    }
  }

  try {
    await Promise.all(Array.from({ length: load.connections }, askOn));
  } finally {
    await pool.destroy();
  }
  return {
    perSecond: latencies.count / ((lastAnswer - countFrom) / 1_000),
    p50Ms: latencies.percentile(50) / NS_PER_MS,
    p99Ms: latencies.percentile(99) / NS_PER_MS,
  };
}

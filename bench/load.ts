import { createHistogram } from 'node:perf_hooks';
import { type Dispatcher, Pool } from 'undici';
import type { Effort } from './benchmark.ts';

export type Load = {
  origin: string;
  /** Requests under way at any time, each on a connection of its own. */
  connections: number;
  /** What to ask, which may differ from request to request. */
  question: () => Question;
  /** Throws, or the figures would be those of another answer. */
  check: (answer: string) => void;
  warmUpMs: number;
  durationMs: number;
  /** Goes on until there are so many, however long that takes. */
  answers?: number;
};

export type Question = Pick<Dispatcher.RequestOptions, 'method' | 'path'> & {
  headers?: Record<string, string>;
  body?: string;
};

/** `answers`: how many came in all, warm-up included; `perSecond`: came after it, in `durationMs`; times are of what was asked after it. */
export type LoadFigures = { answers: number; perSecond: number; p50Ms: number; p99Ms: number };

const NS_PER_MS = 1e6;

/** What a tool asks the API. */
export function graphqlQuestion(operation: object, headers: Record<string, string> = {}): Question {
  return {
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(operation),
  };
}

let addresses = 0;

/** The header of a proxy in front of somebody who has not been here before. */
export function fromAddressOfItsOwn(): Record<string, string> {
  addresses += 1;
  const network = addresses.toString(16).padStart(8, '0');
  return { 'x-forwarded-for': `2001:db8:${network.slice(0, 4)}:${network.slice(4)}::1` };
}

/** Asks over and over, each connection as soon as it is answered; counts after the warm-up. Each counts once at least. */
export async function drive(load: Load): Promise<LoadFigures> {
  const pool = new Pool(load.origin, { connections: load.connections, pipelining: 1 });
  const latencies = createHistogram();
  const countFrom = performance.now() + load.warmUpMs;
  const until = countFrom + load.durationMs;
  let asked = 0;
  let answers = 0;
  let answersInTime = 0;

  const goesOn = (now: number) => (load.answers === undefined ? now < until : asked < load.answers);

  async function askOn(): Promise<void> {
    for (let counted = 0, now = performance.now(); goesOn(now) || counted === 0; ) {
      asked += 1;
      const askedAt = now;
      const { body } = await pool.request(load.question());
      load.check(await body.text());
      now = performance.now();
      answers += 1;
      if (now >= countFrom && now < until) answersInTime += 1;
      if (askedAt < countFrom) continue;
      counted += 1;
      latencies.record(Math.max(1, Math.round((now - askedAt) * NS_PER_MS)));
    }
  }

  try {
    await Promise.all(Array.from({ length: load.connections }, askOn));
  } finally {
    await pool.destroy();
  }
  return {
    answers,
    perSecond: answersInTime / (load.durationMs / 1_000),
    p50Ms: latencies.percentile(50) / NS_PER_MS,
    p99Ms: latencies.percentile(99) / NS_PER_MS,
  };
}

/** How long to warm up and to measure. */
export function timesFor({ smoke }: Effort): Pick<Load, 'warmUpMs' | 'durationMs'> {
  return smoke ? { warmUpMs: 50, durationMs: 200 } : { warmUpMs: 1_000, durationMs: 3_000 };
}

/** A check that an answer holds a text, for `drive`. */
export function expecting(part: string, who: string): Load['check'] {
  return (answer) => {
    if (!answer.includes(part)) throw new Error(`${who} answers: ${answer}`);
  };
}

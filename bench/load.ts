import { fork } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';
import { type Effort, type Figures, quantile } from './compare.ts';
import type { Request } from './requests.ts';

export type Load = {
  url: string;
  connections: number;
  /** Makes the next request. */
  request: () => Request;
  /** Text that every correct answer contains. */
  expected: string;
  /** Wrong answers are counted; without this the first one fails the benchmark. */
  countsWrong?: boolean;
} & Length;

/** Seconds, or a number of requests. */
type Length = { duration: number } | { amount: number };

/** Requests that `connections` parallel connections send one after the other, over and over. */
export type Flood = { url: string; connections: number; requests: Request[] };

export const PER_SECOND = 'per second';
export const P50_MS = 'p50 (ms)';

const WARM_UP_SECONDS = 1;
const SAMPLE_INTERVAL_MS = 100;

/** Keeps `connections` requests under way. A load of some seconds is measured after a warm-up. */
export async function drive(load: Load): Promise<Figures> {
  if ('duration' in load) await fire({ ...load, duration: WARM_UP_SECONDS });
  return fire(load);
}

/** Runs the work while another process sends the flood and ignores the answers. */
export async function whileFlooded<Result>(flood: Flood, work: () => Promise<Result>): Promise<Result> {
  const flooder = fork(new URL('flooder.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  const ended = once(flooder, 'exit');
  try {
    flooder.send(flood);
    await Promise.race([once(flooder, 'message'), ended]);
    return await work();
  } finally {
    flooder.kill('SIGKILL');
    await ended;
  }
}

async function fire({ request, expected, countsWrong = false, ...load }: Load): Promise<Figures> {
  // autocannon's own histogram counts whole milliseconds, which is too coarse for answers of less than one.
  const latenciesMs: number[] = [];
  let wrong: string | undefined;
  const verifyBody = (body: unknown) => {
    const isCorrect = String(body).includes(expected);
    if (!isCorrect) wrong = String(body);
    return isCorrect;
  };
  const requests = [{ setupRequest: (defaults: Request) => ({ ...defaults, ...request() }) }];
  const { duration, errors, mismatches } = await new Promise<autocannon.Result>((resolve, reject) => {
    autocannon({ ...load, requests, verifyBody, sampleInt: SAMPLE_INTERVAL_MS }, (error, result) =>
      error ? reject(error) : resolve(result),
    ).on('response', (_client, _status, _bytes, latencyMs) => latenciesMs.push(latencyMs));
  });
  const correct = 1 - (mismatches + errors) / (latenciesMs.length + errors);
  if (correct < 1 && !countsWrong) throw new Error(`${load.url} answers ${wrong ?? 'nothing'}`);
  return {
    [PER_SECOND]: latenciesMs.length / duration,
    [P50_MS]: quantile(latenciesMs, 0.5),
    'p99 (ms)': quantile(latenciesMs, 0.99),
    'correct (%)': 100 * correct,
  };
}

export function loadLength({ smoke }: Effort, connections: number): Length {
  return smoke ? { amount: 2 * connections } : { duration: 3 };
}

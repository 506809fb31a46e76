import { fork } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';
import type { Effort } from './benchmark.ts';
import { quantile } from './figures.ts';
import type { Request } from './requests.ts';

export type Load = {
  origin: string;
  connections: number;
  /** The request, or a function that makes the next one. */
  request: Request | (() => Request);
  /** Text that every correct answer contains. */
  expected: string;
  length: { seconds: number } | { perConnection: number };
};

/** Requests that `connections` parallel connections send one after the other, over and over. */
export type Flood = { origin: string; connections: number; requests: Request[] };

export type LoadFigures = {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Share of correct answers, 0 to 1. */
  correct: number;
};

const WARM_UP_SECONDS = 1;
const SAMPLE_INTERVAL_MS = 100;

/**
 * Keeps `connections` requests under way, and measures after a warm-up.
 * @throws {Error} with the first wrong answer
 */
export async function drive(load: Load): Promise<LoadFigures> {
  const { firstWrong, ...figures } = await driveWithRefusals(load);
  if (figures.correct < 1) throw new Error(`${load.origin} answers ${firstWrong ?? 'nothing'}`);
  return figures;
}

/** Runs the work while another process sends the requests of the flood and ignores their answers. */
export async function whileFlooded<Result>(flood: Flood, work: () => Promise<Result>): Promise<Result> {
  const flooder = fork(new URL('flooder.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  const ended = once(flooder, 'exit');
  try {
    flooder.send(flood);
    await once(flooder, 'message');
    return await work();
  } finally {
    flooder.kill('SIGKILL');
    await ended;
  }
}

/** Like `drive`, but counts wrong answers instead of throwing. */
export async function driveWithRefusals(
  load: Load,
): Promise<LoadFigures & { firstWrong: string | undefined }> {
  if ('perConnection' in load.length) {
    return fire(load, { amount: load.length.perConnection * load.connections });
  }
  await fire(load, { duration: WARM_UP_SECONDS });
  return fire(load, { duration: load.length.seconds });
}

async function fire(
  { origin, connections, request, expected }: Load,
  length: { duration: number } | { amount: number },
) {
  // autocannon's own histogram counts whole milliseconds, which is too coarse for answers of less than one.
  const latenciesMs: number[] = [];
  let firstWrong: string | undefined;
  const verifyBody = (body: unknown) => {
    const isCorrect = String(body).includes(expected);
    if (!isCorrect) firstWrong ??= String(body);
    return isCorrect;
  };
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    autocannon(
      {
        url: origin,
        connections,
        requests: [
          typeof request === 'function'
            ? { setupRequest: (defaults) => ({ ...defaults, ...request() }) }
            : request,
        ],
        verifyBody,
        sampleInt: SAMPLE_INTERVAL_MS,
        ...length,
      },
      (error, result) => (error ? reject(error) : resolve(result)),
    ).on('response', (_client, _status, _bytes, latencyMs) => latenciesMs.push(latencyMs));
  });
  const answers = latenciesMs.length + result.errors;
  return {
    perSecond: latenciesMs.length / result.duration,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    correct: answers === 0 ? 0 : 1 - (result.mismatches + result.errors) / answers,
    firstWrong,
  };
}

export function loadLength({ smoke }: Effort): Load['length'] {
  return smoke ? { perConnection: 2 } : { seconds: 3 };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import autocannon from 'autocannon';
import { type Figures, PER_SECOND, quantile } from './compare.ts';

export type Request = Pick<autocannon.Request, 'method' | 'path' | 'headers' | 'body'>;

type Load = {
  url: string;
  connections: number;
  smoke: boolean;
  request: () => Request;
  /** Text that every correct answer contains. */
  expected: string;
  /** Wrong answers are counted; without this they fail the benchmark. */
  countsWrong?: boolean;
};

/** One request that `connections` parallel connections send over and over. */
export type Flood = { url: string; connections: number; request: Request };

const WARM_UP_SECONDS = 1;
const MEASURED_SECONDS = 3;
const AUTOCANNON = createRequire(import.meta.url).resolve('autocannon');
/** Longer than any measurement. */
const FLOOD_SECONDS = 600;

export async function drive(load: Load): Promise<Figures> {
  if (!load.smoke) await fire(load, { duration: WARM_UP_SECONDS });
  return fire(load, load.smoke ? { amount: 2 * load.connections } : { duration: MEASURED_SECONDS });
}

/** Runs the work while another process sends the flood and ignores the answers. */
export async function whileFlooded<Result>(
  { url, connections, request: { path = '', headers, body } }: Flood,
  work: () => Promise<Result>,
): Promise<Result> {
  const ofHeaders = Object.entries(headers ?? {}).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const options = [
    '-c',
    `${connections}`,
    '-d',
    `${FLOOD_SECONDS}`,
    '-m',
    'POST',
    ...ofHeaders,
    '-b',
    `${body}`,
  ];
  const flooder = spawn(process.execPath, [AUTOCANNON, ...options, url + path], { stdio: 'ignore' });
  try {
    return await work();
  } finally {
    flooder.kill('SIGKILL');
    await once(flooder, 'exit');
  }
}

async function fire(
  { url, connections, request, expected, countsWrong = false }: Load,
  length: { duration: number } | { amount: number },
): Promise<Figures> {
  // autocannon's own histogram counts whole milliseconds, which is too coarse for answers of less than one.
  const latenciesMs: number[] = [];
  const requests = [{ setupRequest: (defaults: Request) => ({ ...defaults, ...request() }) }];
  const verifyBody = (body: unknown) => String(body).includes(expected);
  const load = autocannon({ url, connections, requests, verifyBody, ...length }, () => {});
  load.on('response', (_client, _status, _bytes, latencyMs) => latenciesMs.push(latencyMs));
  const [{ duration, errors, mismatches }] = (await once(load, 'done')) as [autocannon.Result];
  const correct = 1 - (mismatches + errors) / (latenciesMs.length + errors);
  if (correct < 1 && !countsWrong) throw new Error(`${url} answers other than ${expected}`);
  return {
    [PER_SECOND]: latenciesMs.length / duration,
    'p50 (ms)': quantile(latenciesMs, 0.5),
    'p99 (ms)': quantile(latenciesMs, 0.99),
    'correct (%)': 100 * correct,
  };
}

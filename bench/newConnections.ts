import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { findTool } from '../tests/support/testTools.ts';
import type { Benchmark } from './benchmark.ts';
import { compare, type Figures, PER_SECOND, quantile } from './compare.ts';
import { type Request, whileFlooded } from './load.ts';
import { withNginx } from './nginx.ts';
import { fromNewNetwork, signInRequest, withTestbed } from './testbed.ts';

const ROUNDS = 3;
const CONNECTIONS = 1_500;
/** The flood's process starts within the first second; its connections begin in the next ones. */
const MEASURED_MS = 8_000;
const FLOODER = 0;
const OTHER = 1;

/**
 * Measures how long a partner of another network waits who opens a new connection for each sign-in, while 1,500
 * connections of one network begin: straight to an instance, and behind nginx as deployed.
 */
export const newConnectionsBenchmark: Benchmark = ({ smoke }) =>
  withTestbed(async ({ startApp }) => {
    const instances = [await startApp(), await startApp()] as const;
    const flood = {
      connections: smoke ? 10 : CONNECTIONS,
      request: signInRequest(FLOODER, fromNewNetwork(), 'secreto-2'),
    };
    const durationMs = smoke ? 500 : MEASURED_MS;
    const contestantsAt = (name: string, url: string) => ({
      [`${name}, quiet`]: () => signInOneByOne(url, durationMs),
      [name]: () => whileFlooded({ url, ...flood }, () => signInOneByOne(url, durationMs)),
    });
    const compareAll = (contestants: ReturnType<typeof contestantsAt>) =>
      compare(
        `login over new connections, one at a time, while ${CONNECTIONS} connections of another network begin`,
        smoke ? 1 : ROUNDS,
        contestants,
      );
    const straight = contestantsAt('straight to an instance', instances[0]);
    if (findTool('nginx') === undefined) {
      await compareAll(straight);
      console.log('Not measured behind nginx, which is not installed.');
      return;
    }
    await withNginx(instances, (url) => compareAll({ ...straight, ...contestantsAt('behind nginx', url) }));
  });

async function signInOneByOne(url: string, durationMs: number): Promise<Figures> {
  const latenciesMs: number[] = [];
  let correct = 0;
  const startMs = performance.now();
  while (performance.now() - startMs < durationMs) {
    const sentMs = performance.now();
    const answer = await send(url, signInRequest(OTHER, fromNewNetwork())).catch(
      (error: Error) => error.message,
    );
    latenciesMs.push(performance.now() - sentMs);
    if (answer.includes('"jwt":')) correct += 1;
  }
  return {
    [PER_SECOND]: latenciesMs.length / ((performance.now() - startMs) / 1_000),
    'p50 (ms)': quantile(latenciesMs, 0.5),
    'longest (ms)': quantile(latenciesMs, 1),
    'correct (%)': (100 * correct) / latenciesMs.length,
  };
}

/** Sends a request over a connection of its own, which ends with its answer. */
function send(url: string, { method, path, headers, body }: Request): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(new URL(path ?? '', url), {
      method,
      headers: headers as NodeJS.Dict<string>,
      agent: false,
    });
    request.once('error', reject);
    request.once('response', (response) => text(response).then(resolve, reject));
    request.end(body);
  });
}

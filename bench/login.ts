import { availableParallelism } from 'node:os';
import { hashPassword, verifyPassword } from '../server/signIn/password.ts';
import type { Benchmark } from './benchmark.ts';
import { compare, PER_SECOND } from './compare.ts';
import { drive } from './load.ts';
import { fromNewNetwork, PASSWORD, signInRequest, withTestbed } from './testbed.ts';

const CONNECTIONS = 8;
const ROUNDS = 5;
const BARE_SECONDS = 3;
/** Sign-ins are few per second, so V8 takes long to compile their code. */
const COMPILING_ROUNDS = 5;
/** Enough to keep every thread of libuv busy. */
const HASHES_AT_ONCE = Math.max(8, 2 * availableParallelism());

/**
 * Compares the rate of sign-ins with the bare rate of argon2id. To give the app a core of its own:
 * `APP_PREFIX='taskset -c 1' taskset -c 0 npm run bench -- login`.
 */
export const loginBenchmark: Benchmark = ({ smoke }) =>
  withTestbed(async ({ startApp }) => {
    const url = await startApp(process.env.APP_PREFIX?.split(' '));
    let signIns = 0;
    const request = () => signInRequest(signIns++, fromNewNetwork());
    const signInsPerSecond = () =>
      drive({ url, connections: CONNECTIONS, smoke, request, expected: '"jwt":' });
    for (let round = 0; round < (smoke ? 0 : COMPILING_ROUNDS); round += 1) await signInsPerSecond();
    await compare(`login, ${CONNECTIONS} at a time`, smoke ? 1 : ROUNDS, {
      'bare argon2id': () => bareVerifyRate(smoke ? 0.2 : BARE_SECONDS),
      'this app': signInsPerSecond,
    });
  });

async function bareVerifyRate(seconds: number) {
  const stored = await hashPassword(PASSWORD);
  const startMs = performance.now();
  let done = 0;
  const repeat = async () => {
    while (performance.now() - startMs < seconds * 1_000) {
      await verifyPassword(stored, PASSWORD);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: HASHES_AT_ONCE }, repeat));
  return { [PER_SECOND]: done / ((performance.now() - startMs) / 1_000) };
}

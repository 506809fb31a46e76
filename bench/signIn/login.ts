import { availableParallelism } from 'node:os';
import { hashPassword, verifyPassword } from '../../server/signIn/password.ts';
import { type Benchmark, compare } from '../compare.ts';
import { drive, loadLength, PER_SECOND } from '../load.ts';
import { fromNewAddress, PASSWORD, signInRequest } from '../requests.ts';
import { withTestbed } from '../testbed.ts';

const CONNECTIONS = 8;
const ROUNDS = 5;
const BARE_SECONDS = 3;
/** Sign-ins are few per second, so V8 takes long to compile their code. */
const COMPILING_SECONDS = 20;
/** Enough to keep every thread of libuv busy. */
const HASHES_AT_ONCE = Math.max(8, 2 * availableParallelism());

/**
 * Compares the rate of sign-ins with the bare rate of argon2id. To give the app a core of its own:
 * `APP_PREFIX='taskset -c 1' taskset -c 0 npm run bench -- login`.
 */
export const loginBenchmark: Benchmark = (effort) =>
  withTestbed(async (testbed) => {
    const app = await testbed.startApp({ prefix: process.env.APP_PREFIX?.split(' ') ?? [] });
    let signIns = 0;
    const request = () => signInRequest(signIns++, fromNewAddress());
    const load = { url: app.address, connections: CONNECTIONS, request, expected: '"jwt":' };
    if (!effort.smoke) await drive({ ...load, duration: COMPILING_SECONDS });
    await compare({
      title: `login, ${CONNECTIONS} at a time`,
      rounds: ROUNDS,
      effort,
      contestants: {
        'bare argon2id': () => bareVerifyRate(effort.smoke ? 0.2 : BARE_SECONDS),
        'this app': () => drive({ ...load, ...loadLength(effort, CONNECTIONS) }),
      },
      toFirst: { name: 'of bare', of: PER_SECOND, by: (own, bare) => own / bare },
    });
  });

/** Verifies passwords in this process, doing nothing else. */
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

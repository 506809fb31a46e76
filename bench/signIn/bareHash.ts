import { availableParallelism } from 'node:os';
import { hashPassword, verifyPassword } from '../../server/signIn/password.ts';

/** Enough to keep every thread of libuv busy. */
const AT_ONCE = Math.max(8, 2 * availableParallelism());
const PASSWORD = 'secreto-1';

/** Passwords that this process verifies per second, doing nothing else. */
export async function bareVerifyRate(seconds: number): Promise<number> {
  const stored = await hashPassword(PASSWORD);
  const startMs = performance.now();
  let done = 0;
  const repeat = async () => {
    while (performance.now() - startMs < seconds * 1_000) {
      await verifyPassword(stored, PASSWORD);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, repeat));
  return done / ((performance.now() - startMs) / 1_000);
}

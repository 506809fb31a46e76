import { hashPassword, verifyPassword } from '../../server/signIn/password.ts';

/**
 * How many passwords a second this machine can check and hash, with nothing else to do, so many at once.
 * Arguments: how many at once, for how many milliseconds. Prints JSON.
 */
const [atOnce = 1, durationMs = 1_000] = process.argv.slice(2).map(Number);
const PASSWORD = 'secreto-1';

const stored = await hashPassword(PASSWORD);
const perSecond = {
  verify: await rateOf(() => verifyPassword(stored, PASSWORD)),
  hash: await rateOf(() => hashPassword(PASSWORD)),
};
process.stdout.write(`${JSON.stringify(perSecond)}\n`);

async function rateOf(work: () => Promise<unknown>): Promise<number> {
  const until = performance.now() + durationMs;
  let done = 0;
  const repeat = async () => {
    for (;;) {
      await work();
      if (performance.now() >= until) return;
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, repeat));
  return done / (durationMs / 1_000);
}

import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { anySteps } from './anySteps.ts';
import { account, add, atOnce, clearNotice, losing, type Step, setNotice, signIn } from './steps.ts';
import { take } from './take.ts';
import { openTwoInstances } from './twoInstances.ts';

/** `npm run test:seeds` tries more runs, with another `INTERLEAVING_SEED` others. */
const { INTERLEAVING_SEEDS = 4, INTERLEAVING_SEED = 1 } = process.env;

let pair: Awaited<ReturnType<typeof openTwoInstances>>;
beforeAll(async () => {
  pair = await openTwoInstances();
  return pair.close;
});

test('two acts at once end as one after the other, and everybody is told so', async () => {
  const options = {
    numRuns: Number(INTERLEAVING_SEEDS),
    seed: Number(INTERLEAVING_SEED),
  };
  await fc.assert(
    fc.asyncProperty(anySteps, async (steps) => void (await take(pair, steps))),
    options,
  );
});

const setPassword = account('set-password', 0);
const endSessions = account('end-sessions', 0);
const SIGNED_IN = [add(0), signIn(0, 'right', -1)];

/** Steps that once broke a rule. */
test.each<[title: string, steps: Step[]]>([
  ['two set-password at once print one password', [add(0), atOnce(setPassword, setPassword, '01010101')]],
  [
    'add-key prints no key for an account that is being disabled',
    [add(0), atOnce(account('disable', 0), account('add-key', 0, 'recorder'), '10000011111')],
  ],
  ['rename says what it did before its connection is lost', [add(0), losing(6, account('rename', 0, 1))]],
  ['a connection lost at COMMIT is told as the database’s failure', [add(0), losing(6, setPassword)]],
  [
    'two end-sessions at once do not count the same session',
    [...SIGNED_IN, atOnce(endSessions, endSessions, '01010101')],
  ],
  [
    'end-sessions counts the session of a sign-in that it ends',
    [...SIGNED_IN, atOnce(endSessions, signIn(0, 'right', -1), '000011111')],
  ],
  [
    'end-sessions ends no sessions of an account that was deleted meanwhile',
    [...SIGNED_IN, atOnce(endSessions, account('delete', 0), '01111111')],
  ],
  [
    'two notice set at once both succeed',
    [atOnce(setNotice('Hoy 21:30'), setNotice('Hoy 22:00'), '01010101')],
  ],
  [
    'notice clear clears a line that is being replaced',
    [setNotice('Hoy 21:30'), atOnce(clearNotice(), setNotice('Hoy 22:00'), '11001')],
  ],
])('%s', async (_, steps) => {
  expect(await take(pair, steps)).toEqual([]);
});

import { inspect, isDeepStrictEqual } from 'node:util';
import { type State, visible } from './state.ts';
import type { Act, Step } from './steps.ts';
import type { openTwoInstances } from './twoInstances.ts';

type Pair = Awaited<ReturnType<typeof openTwoInstances>>;
type Answer = Awaited<ReturnType<Act>>;

const CHANGED_MEANWHILE = '1 error: the account was changed meanwhile: run it again';
const LOST_CONNECTION = /error: (PostgreSQL cannot do it now|The database cannot be reached).*\n?/;

const NOTHING: State = { accounts: {}, notice: null, audit: [] };

/**
 * Takes steps; throws after the first whose answers, and what is so then, fit no order of its acts.
 * @returns the steps that were to lose their connection and had too few queries for it
 */
export async function take(pair: Pair, steps: readonly Step[]): Promise<Step[]> {
  const notLost: Step[] = [];
  const { instances, handedOut, look, runInterleaved } = await pair.begin();
  let possible = [NOTHING];
  for (const step of steps) {
    const [known = NOTHING] = possible;
    const acts = step.acts.map(
      (act, index) => () => act({ instance: instances[index] ?? instances[0], known, handedOut }),
    );
    const { results: answers, overlap, isLost } = await runInterleaved(acts, step.order, step.lostAt);
    if (step.lostAt >= 0 && !isLost) notLost.push(step);
    handedOut.push(...answers.flatMap(({ credentials = [] }) => credentials));
    const orders = answers.length === 1 ? [answers] : [answers, answers.toReversed()];
    const isDead = overlap && haveBothPassword(answers);
    const explained = isDead
      ? []
      : possible.flatMap((state) => orders.flatMap((order) => following(state, order)));
    const seen = await look(
      explained,
      answers.flatMap(({ token = [] }) => token),
    );
    possible = explained.filter((state) => isDeepStrictEqual(visible(state, handedOut), seen));
    if (possible.length === 0) {
      const said = answers.map((answer) => answer.said);
      const allowed = explained.map((state) => visible(state, handedOut));
      throw new Error(
        `after ${step} ${inspect({ said, seen, allowed, before: visible(known, handedOut) }, { depth: 9 })}`,
      );
    }
    possible = possible.filter(
      (state, at) => possible.findIndex((other) => isDeepStrictEqual(other, state)) === at,
    );
  }
  return notLost;
}

/** Returns the state to which acts lead one after the other, if each of them would answer so. */
function following(before: State, answers: readonly Answer[]): State[] {
  let state = before;
  for (const { said, follow } of answers) {
    // A refusal for what only the other act can have changed.
    if (said === CHANGED_MEANWHILE && !isDeepStrictEqual(state.accounts, before.accounts)) continue;
    const saidBefore = LOST_CONNECTION.test(said)
      ? said.replace(/^1 /, '').replace(LOST_CONNECTION, '').trim()
      : said;
    if (saidBefore === '') continue;
    const next = structuredClone(state);
    if (follow(next, answers.length === 1) !== saidBefore) return [];
    state = next;
  }
  return [state];
}

/** Both operators changed the password at the same time, so one of them was handed one that opens nothing. */
function haveBothPassword(answers: readonly Answer[]): boolean {
  const [one, other] = answers.map(({ said }) => /^Changed the password of \S+/.exec(said)?.[0]);
  return one !== undefined && one === other;
}

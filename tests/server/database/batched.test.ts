import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { batched } from '../../../server/database/batched.ts';

/** Answers each question with its double and records which were asked together; with `firstFails` the first query fails. */
function doubled({ firstFails = false } = {}) {
  const queries: number[][] = [];
  const ask = batched(async (questions: readonly number[]) => {
    queries.push([...questions]);
    if (firstFails && queries.length === 1) throw new Error('the database is gone');
    return questions.map((question) => question * 2);
  });
  return { queries, ask };
}

describe('questions of one turn of the event loop', () => {
  test('share a query, and each gets its own answer, in whatever order they came', async () => {
    const { queries, ask } = doubled();
    expect(await Promise.all([3, 1, 2].map(ask))).toEqual([6, 2, 4]);
    expect(queries).toEqual([[3, 1, 2]]);
  });

  test('are asked anew, even if they were just answered, or are being answered', async () => {
    const { queries, ask } = doubled();
    await ask(1);
    const underWay = ask(1);
    await nextTurn();
    await nextTurn();
    expect(await Promise.all([underWay, ask(1)])).toEqual([2, 2]);
    expect(queries).toEqual([[1], [1], [1]]);
  });

  test('fail together where their query fails, and no others do', async () => {
    const { queries, ask } = doubled({ firstFails: true });
    const outcomes = await Promise.allSettled([1, 2].map(ask));
    expect(outcomes).toEqual(
      Array(2).fill({ status: 'rejected', reason: new Error('the database is gone') }),
    );
    expect(await ask(3)).toBe(6);
    expect(queries).toEqual([[1, 2], [3]]);
  });

  test('are at most 200 to a query', async () => {
    const { queries, ask } = doubled();
    const questions = Array.from({ length: 450 }, (_, at) => at);
    expect(await Promise.all(questions.map(ask))).toEqual(questions.map((question) => question * 2));
    expect(queries.map((query) => query.length)).toEqual([200, 200, 50]);
  });
});

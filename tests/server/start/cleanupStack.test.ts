import { beforeEach, expect, test } from 'vitest';
import { type CleanupStack, createCleanupStack } from '../../../server/start/cleanupStack.ts';

let calls: string[];
let logged: unknown[];
let cleanup: CleanupStack;

beforeEach(() => {
  calls = [];
  logged = [];
  cleanup = createCleanupStack({ error: (fields: unknown) => logged.push(fields) });
});

/** A cleanup function that notes when it starts, and ends when the test says so. */
function slow(name: string) {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = () => {
    calls.push(name);
    return ended;
  };
  return { run, end };
}

function quick(name: string) {
  return async () => void calls.push(name);
}

test('runs the last registered first', async () => {
  const app = slow('app');
  cleanup.defer(async (signal) => void calls.push(`database ${signal}`));
  cleanup.defer(app.run);
  const closed = cleanup.close('SIGTERM');
  expect(calls).toEqual(['app']);
  app.end();
  await closed;
  expect(calls).toEqual(['app', 'database SIGTERM']);
});

test('runs one registered late at once', async () => {
  const [app, late] = [slow('app'), slow('late')];
  cleanup.defer(quick('database'));
  cleanup.defer(app.run);
  const closed = cleanup.close('SIGTERM').then(() => calls.push('closed'));
  cleanup.defer((signal) => {
    calls.push(String(signal));
    return late.run();
  });
  expect(calls).toEqual(['app', 'SIGTERM', 'late']);
  app.end();
  await expect.poll(() => calls).toEqual(['app', 'SIGTERM', 'late', 'database']);
  calls.push('late ends');
  late.end();
  await closed;
  expect(calls).toEqual(['app', 'SIGTERM', 'late', 'database', 'late ends', 'closed']);
});

test('a second close runs nothing twice', async () => {
  const app = slow('app');
  cleanup.defer(app.run);
  const first = cleanup.close();
  const second = cleanup.close().then(() => calls.push('closed again'));
  app.end();
  await Promise.all([first, second]);
  expect(calls).toEqual(['app', 'closed again']);
});

test('a failure stops no other cleanup', async () => {
  const [failure, lateFailure] = [new Error('no answer'), new Error('no answer, late')];
  cleanup.defer(quick('database'));
  cleanup.defer(() => Promise.reject(failure));
  await cleanup.close();
  cleanup.defer(() => Promise.reject(lateFailure));
  await expect.poll(() => logged).toEqual([{ err: failure }, { err: lateFailure }]);
  expect(calls).toEqual(['database']);
});

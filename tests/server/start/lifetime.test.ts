import { type Logger, pino } from 'pino';
import { beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { createLifetime, type Lifetime } from '../../../server/start/lifetime.ts';

let calls: string[];
let logged: unknown[];
let log: Logger;
let lifetime: Lifetime;

beforeEach(() => {
  calls = [];
  logged = [];
  log = pino({ level: 'silent' });
  log.error = (fields: unknown) => void logged.push(fields);
  lifetime = createLifetime(log);
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
  lifetime.defer(async (signal) => void calls.push(`database ${signal}`));
  lifetime.defer(app.run);
  const closed = lifetime.close('SIGTERM');
  expect(calls).toEqual(['app']);
  app.end();
  await closed;
  expect(calls).toEqual(['app', 'database SIGTERM']);
});

test('runs one registered late at once', async () => {
  const [app, late] = [slow('app'), slow('late')];
  lifetime.defer(quick('database'));
  lifetime.defer(app.run);
  const closed = lifetime.close('SIGTERM').then(() => calls.push('closed'));
  lifetime.defer((signal) => {
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
  lifetime.defer(app.run);
  const first = lifetime.close();
  const second = lifetime.close().then(() => calls.push('closed again'));
  app.end();
  await Promise.all([first, second]);
  expect(calls).toEqual(['app', 'closed again']);
});

test('the end waits for what is being opened', async () => {
  let opened = () => {};
  const opening = new Promise<void>((resolve) => {
    opened = resolve;
  });
  lifetime.open(opening);
  const closed = lifetime.close();
  expect(lifetime.signal.aborted).toBe(true);
  lifetime.defer(quick('opened meanwhile'));
  expect(calls).toEqual([]);
  opened();
  await closed;
  expect(calls).toEqual(['opened meanwhile']);
});

test('a failure stops no other cleanup', async () => {
  const [failure, lateFailure] = [new Error('no answer'), new Error('no answer, late')];
  lifetime.defer(quick('database'));
  lifetime.defer(() => Promise.reject(failure));
  await lifetime.close();
  lifetime.defer(() => Promise.reject(lateFailure));
  await expect.poll(() => logged).toEqual([{ err: failure }, { err: lateFailure }]);
  expect(calls).toEqual(['database']);
});

describe('the end of the process', () => {
  let exit: MockInstance<typeof process.exit>;
  beforeEach(() => {
    exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never);
    // The timer that kills a process that does not end would kill this one.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    return () => {
      vi.restoreAllMocks();
      vi.useRealTimers();
    };
  });

  test('an exception while stopping ends it with 1', async () => {
    lifetime.defer(() => lifetime.exit(0));
    lifetime.defer(() => lifetime.exit(1));
    await lifetime.exit(0, 'SIGTERM');
    expect(exit.mock.calls).toEqual([[1]]);
  });

  test('it is killed within 10 s where nobody reads its log', async () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    log.flush = () => {};
    void lifetime.exit(0, 'SIGTERM');
    await vi.advanceTimersByTimeAsync(9_999);
    expect(kill.mock.calls).toEqual([[process.pid, 'SIGKILL']]);
    expect(exit).not.toHaveBeenCalled();
  });
});

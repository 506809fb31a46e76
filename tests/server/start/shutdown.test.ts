import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createCleanupStack } from '../../../server/start/cleanupStack.ts';
import { createShutdown } from '../../../server/start/shutdown.ts';

test('an exception while stopping ends the process with 1', async () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never);
  // The timer that kills a process that does not end would kill this one.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => {
    exit.mockRestore();
    vi.useRealTimers();
  });
  const log = pino({ level: 'silent' });
  const cleanup = createCleanupStack(log);
  const shutdown = createShutdown(log, cleanup, () => undefined);
  cleanup.defer(() => shutdown.stop(0));
  cleanup.defer(() => shutdown.stop(1));
  await shutdown.stop(0, 'SIGTERM');
  expect(exit.mock.calls).toEqual([[1]]);
});

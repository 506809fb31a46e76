import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { holdLock } from '../../../client/browser/pageLock.ts';

/** Locks of one browser, in which a lock is given to the next request once its holder lets it go. */
function fakeLocks() {
  const last = new Map<string, Promise<void>>();
  async function request(name: string, { signal }: { signal: AbortSignal }, onHeld: () => Promise<void>) {
    const before = last.get(name) ?? Promise.resolve();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    const granted = Promise.race([before, aborted]);
    const released = granted.then(onHeld);
    last.set(
      name,
      Promise.all([before, released.catch(() => undefined)]).then(() => undefined),
    );
    await released;
  }
  return { request };
}

const leave = () => window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
const comeBack = () => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));

async function isFree(name: string): Promise<boolean> {
  const onAnswer = vi.fn();
  const release = holdLock(name, onAnswer);
  await vi.advanceTimersByTimeAsync(1_000);
  release();
  return onAnswer.mock.calls[0]?.[0];
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', { locks: fakeLocks() });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a lock that another page holds is waited for, for a second', async () => {
  const onAnswer = vi.fn();
  const release = holdLock('p1');
  const releaseSecond = holdLock('p1', onAnswer);
  await vi.advanceTimersByTimeAsync(999);
  expect(onAnswer).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onAnswer.mock.calls).toEqual([[false]]);
  release();
  releaseSecond();
  expect(await isFree('p1')).toBe(true);
});

test('a lock is released while the page is left', async () => {
  const release = holdLock('p1');
  leave();
  const probe = vi.fn();
  const releaseProbe = holdLock('p1', probe);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(probe.mock.calls).toEqual([[true]]);
  releaseProbe();
  comeBack();
  await vi.advanceTimersByTimeAsync(0);
  expect(await isFree('p1')).toBe(false);
  release();
});

test('a page that is rendered before it is shown asks for its lock once it is', async () => {
  const prerendering = vi.fn(() => true);
  Object.defineProperty(document, 'prerendering', { get: prerendering, configurable: true });
  const onAnswer = vi.fn();
  const release = holdLock('p1', onAnswer);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onAnswer).not.toHaveBeenCalled();
  document.dispatchEvent(new Event('prerenderingchange'));
  await vi.advanceTimersByTimeAsync(0);
  expect(onAnswer.mock.calls).toEqual([[true]]);
  release();
  Reflect.deleteProperty(document, 'prerendering');
});

test('a lock about which the browser never answers counts as held by another page', async () => {
  vi.stubGlobal('navigator', { locks: { request: () => new Promise(() => undefined) } });
  expect(await isFree('p1')).toBe(false);
});

test.each<[browser: string, locks: unknown]>([
  ['over plain http', undefined],
  ['where storage is blocked', { request: () => Promise.reject(new Error('SecurityError')) }],
])('without locks the page goes on as if it held one: %s', async (_browser, locks) => {
  vi.stubGlobal('navigator', { locks });
  expect(await isFree('p1')).toBe(true);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const openAnalytics = vi.hoisted(() => vi.fn());
vi.mock('../../../client/analytics/firebase.ts', () => ({ openAnalytics }));

let analytics: typeof import('../../../client/analytics/analytics.ts');
const requestIdleCallback = vi.fn<(callback: () => void) => void>();
const send = vi.fn();

beforeEach(async () => {
  vi.stubGlobal('window', { requestIdleCallback });
  vi.clearAllMocks();
  openAnalytics.mockResolvedValue(send);
  vi.resetModules();
  analytics = await import('../../../client/analytics/analytics.ts');
});
afterEach(() => vi.unstubAllGlobals());

function start(content: string | null): void {
  vi.stubGlobal('document', {
    querySelector: (selector: string) =>
      content !== null && selector === 'meta[name=firebase-config]' ? { content } : null,
  });
  analytics.startAnalytics();
}

function idle(): void {
  for (const [callback] of requestIdleCallback.mock.calls) callback();
}

test('events from before the page is idle are sent once it is', async () => {
  start('{"apiKey":"k"}');
  analytics.track('page_view', 'login');
  analytics.track('login');
  await new Promise(setImmediate);
  expect(openAnalytics).not.toHaveBeenCalled();
  idle();
  analytics.track('page_view', 'dashboard');
  await expect.poll(() => send).toHaveBeenCalledTimes(3);
  expect(openAnalytics).toHaveBeenCalledExactlyOnceWith('{"apiKey":"k"}');
  expect(send.mock.calls).toEqual([
    ['page_view', 'login'],
    ['login', undefined],
    ['page_view', 'dashboard'],
  ]);
});

test('a page without a config sends nothing', async () => {
  start(null);
  analytics.track('page_view', 'login');
  await new Promise(setImmediate);
  expect(requestIdleCallback).not.toHaveBeenCalled();
});

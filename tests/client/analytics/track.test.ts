import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const openReports = vi.hoisted(() => vi.fn());
vi.mock('../../../client/analytics/firebase.ts', () => ({ openReports }));

let analytics: typeof import('../../../client/analytics/track.ts');
const requestIdleCallback = vi.fn<(callback: () => void) => void>();
const send = vi.fn();

beforeEach(async () => {
  vi.stubGlobal('window', { requestIdleCallback });
  requestIdleCallback.mockReset();
  openReports.mockReset().mockResolvedValue(send);
  send.mockReset();
  vi.resetModules();
  analytics = await import('../../../client/analytics/track.ts');
});
afterEach(() => vi.unstubAllGlobals());

function idle(): void {
  for (const [callback] of requestIdleCallback.mock.calls) callback();
}

function pageCarries(content: string | null): void {
  vi.stubGlobal('document', {
    querySelector: (selector: string) =>
      content !== null && selector === 'meta[name=firebase-config]' ? { content } : null,
  });
}

test('analytics starts with the page’s config once the page is idle, and not before', async () => {
  pageCarries('{"apiKey":"k"}');
  analytics.startAnalytics();
  await new Promise(setImmediate);
  expect(openReports).not.toHaveBeenCalled();
  idle();
  await expect.poll(() => openReports).toHaveBeenCalledExactlyOnceWith('{"apiKey":"k"}');
});

test('events before analytics has started are reported later, in order', async () => {
  pageCarries('{}');
  analytics.startAnalytics();
  analytics.track('page_view', 'login');
  analytics.track('login');
  idle();
  analytics.track('page_view', 'dashboard');
  await expect.poll(() => send).toHaveBeenCalledTimes(3);
  expect(send.mock.calls).toEqual([
    ['page_view', 'login'],
    ['login', undefined],
    ['page_view', 'dashboard'],
  ]);
});

test('a page without a config never starts analytics and reports nothing', async () => {
  pageCarries(null);
  analytics.startAnalytics();
  analytics.track('page_view', 'login');
  await new Promise(setImmediate);
  expect(requestIdleCallback).not.toHaveBeenCalled();
  expect(openReports).not.toHaveBeenCalled();
  expect(send).not.toHaveBeenCalled();
});

test('events are dropped without an error if analytics cannot start', async () => {
  openReports.mockRejectedValue(new Error('blocked'));
  pageCarries('{}');
  analytics.startAnalytics();
  analytics.track('page_view', 'login');
  idle();
  await expect.poll(() => openReports).toHaveBeenCalledOnce();
  analytics.track('login');
  await new Promise(setImmediate);
  expect(send).not.toHaveBeenCalled();
});

// @vitest-environment jsdom
import { ApolloProvider } from '@apollo/client/react';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { apolloClient } from '../../../client/api/apolloClient.ts';
import Dashboard from '../../../client/dashboard/Dashboard.tsx';
import { localRecords } from '../../../client/session/localRecords.ts';
import { TOKEN_LIFETIME_MS } from '../../../shared/tokenLifetime.ts';
import { stubServer } from '../fakeServer.ts';

/** Rendered by the dashboard without props, so exactly as often as the dashboard itself. */
const Notes = vi.hoisted(() => vi.fn(() => null));
vi.mock('../../../client/dashboard/Notes.tsx', () => ({ Notes }));

const SECOND_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers();
  stubServer();
  localRecords.signIn({ id: 'a1', company: 'Radio Demo' });
  localRecords.keepToken('abc==', Date.now() + TOKEN_LIFETIME_MS);
});

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('a second that passes renders the clock, the ring and the tab’s title, not the dashboard; the expiry renders it', async () => {
  const { container } = render(
    <ApolloProvider client={apolloClient}>
      <Dashboard company="Radio Demo" />
    </ApolloProvider>,
  );
  const ring = () => container.querySelector('.ring__left')?.getAttribute('stroke-dasharray');
  const countdown = screen.getByRole('timer');
  await act(() => vi.advanceTimersByTimeAsync(0));
  const rendered = Notes.mock.calls.length;
  const before = ring();
  expect(countdown.textContent).toBe('19 : 59');

  await act(() => vi.advanceTimersByTimeAsync(10 * SECOND_MS));
  expect(countdown.textContent).toBe('19 : 49');
  expect(document.title).toBe('19:49 · Audio Oficial Premium');
  expect(ring()).not.toBe(before);
  expect(Notes).toHaveBeenCalledTimes(rendered);

  vi.setSystemTime(Date.now() + TOKEN_LIFETIME_MS);
  await act(() => vi.advanceTimersByTimeAsync(SECOND_MS));
  expect(countdown.textContent).toBe('00:00');
  expect(Notes.mock.calls.length).toBeGreaterThan(rendered);
});

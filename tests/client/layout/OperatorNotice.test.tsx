import { render, screen } from '@testing-library/react';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { OperatorNotice } from '../../../client/layout/OperatorNotice.tsx';
import { fakeServer, refused } from '../fakeServer.tsx';
import { setHidden } from '../setHidden.ts';
import { storedRecords } from '../storedRecords.ts';
import { wrapTexts } from '../wrapTexts.ts';

const server = fakeServer();
const POLL_MS = 30_000;
const notice = (text: string, since: Date) => ({ data: { notice: { text, since: since.toISOString() } } });
const shown = () => screen.getByRole('status').textContent;

beforeEach(() => {
  vi.useFakeTimers({ now: new Date(2026, 10, 22, 21, 0) });
  render(<OperatorNotice />, { wrapper: server.Wrapper });
});

async function answer(body: unknown): Promise<void> {
  (await server.requested('Notice')).answer(body);
  await vi.advanceTimersByTimeAsync(0);
}

test('a notice of today has its time', async () => {
  expect(shown()).toBe('');
  await answer(notice('El partido empieza a las 21:30', new Date(2026, 10, 22, 20, 21)));
  expect(shown()).toBe('Aviso desde las 20:21: El partido empieza a las 21:30');
});

test('an older notice has its day', async () => {
  await answer(notice('Texto', new Date(2026, 10, 21, 20, 21)));
  expect(shown()).toBe('Aviso desde el 21 nov, 20:21: Texto');
});

test('a notice’s time in a zone without a city says that it is UTC', async () => {
  vi.stubEnv('TZ', 'UTC');
  onTestFinished(() => void vi.unstubAllEnvs());
  await answer(notice('Texto', new Date('2026-11-21T20:21Z')));
  expect(shown()).toBe('Aviso desde el 21 nov, 20:21 UTC: Texto');
});

test('a notice stays until the server says that it was cleared', async () => {
  await answer(notice('Texto', new Date(2026, 10, 22, 20, 21)));
  for (const failure of [refused('DATABASE_UNAVAILABLE'), refused('GRAPHQL_VALIDATION_FAILED')]) {
    await vi.advanceTimersByTimeAsync(POLL_MS);
    await answer(failure);
    expect(shown()).toContain('Texto');
  }
  await vi.advanceTimersByTimeAsync(POLL_MS);
  (await server.requested('Notice')).fail();
  await vi.advanceTimersByTimeAsync(POLL_MS);
  await answer({ data: { notice: null } });
  expect(shown()).toBe('');
});

test('a notice that was translated is cleared like any other', async () => {
  await answer(notice('Texto', new Date(2026, 10, 22, 20, 21)));
  wrapTexts(screen.getByRole('status'));
  await vi.advanceTimersByTimeAsync(POLL_MS);
  await answer({ data: { notice: null } });
  expect(shown()).toBe('');
});

test('an instance that does not know notices makes no page outdated', async () => {
  await answer(refused('GRAPHQL_VALIDATION_FAILED'));
  expect(server.page().state().isOutdated).toBe(false);
});

test('a notice is asked for with the browser’s credentials, for no account', async () => {
  await answer({ data: { notice: null } });
  storedRecords().keepAccount({ id: 'a1', company: 'Radio Demo' });
  await vi.advanceTimersByTimeAsync(POLL_MS);
  const { options } = await server.requested('Notice');
  expect([options.credentials, Object(options.headers)['x-account-id']]).toEqual(['same-origin', undefined]);
});

test('a hidden page asks for no notice, and at once when it is shown', async () => {
  await answer({ data: { notice: null } });
  setHidden(true);
  await vi.advanceTimersByTimeAsync(3 * POLL_MS);
  expect(server.requests).toEqual([]);
  setHidden(false);
  await answer(notice('Texto', new Date(2026, 10, 22, 20, 21)));
  expect(shown()).toContain('Texto');
});

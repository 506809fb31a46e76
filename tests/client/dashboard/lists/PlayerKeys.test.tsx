import { act, fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { PlayerKeys } from '../../../../client/dashboard/lists/PlayerKeys.tsx';
import { DAY_MS, MINUTE_MS } from '../../../../shared/durations.ts';
import { fakeServer, refused } from '../../fakeServer.tsx';
import { setHidden } from '../../setHidden.ts';
import { storedRecords } from '../../storedRecords.ts';
import { openDisclosure } from '../openDisclosure.ts';

const NOW = new Date(2026, 11, 5, 20, 57).getTime();

const server = fakeServer();

let pageAheadMs = 0;

beforeEach(() => {
  pageAheadMs = 0;
  vi.useFakeTimers({ now: NOW });
  storedRecords().keepAccount({ id: 'a1', company: 'Radio Demo' });
  render(<PlayerKeys />, { wrapper: server.Wrapper });
});

function key(name: string, more: Record<string, unknown> = {}) {
  const expiry = new Date(NOW + 300 * DAY_MS).toISOString();
  return { __typename: 'Key', name, kind: 'PLAYER', expiry, lastUsed: null, ...more };
}

const usedAgo = (minutes: number) => ({
  lastUsed: new Date(Date.now() - minutes * MINUTE_MS).toISOString(),
});
const endsIn = (ms: number) => ({ expiry: new Date(NOW + ms).toISOString() });
const data = (...keys: unknown[]) => ({
  data: {
    keys,
    get serverTime() {
      return new Date(Date.now() - pageAheadMs);
    },
  },
});

async function answered(body: unknown) {
  const { answer } = await server.requested('Keys');
  await act(async () => {
    answer(body);
    await vi.advanceTimersByTimeAsync(0);
  });
}

async function opened(...keys: unknown[]) {
  await answered(data(...keys));
  await openDisclosure('Tus equipos');
  await answered(data(...keys));
}

const rows = () => screen.queryAllByRole('listitem').map((row) => row.textContent);
const status = () => screen.getByRole('status').textContent;
const passes = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

test('an account without players’ keys is shown nothing of them', async () => {
  await answered(data(key('Grabador', { kind: 'TOOL' })));
  expect(document.body.textContent).toBe('');
});

test('a player’s key that was added meanwhile is found when the page is shown again', async () => {
  await answered(data());
  setHidden(true);
  setHidden(false);
  await answered(data(key('Barix')));
  expect(screen.getByText('Tus equipos')).toBeTruthy();
});

test('each player’s key has a line with its last use and a near end', async () => {
  await opened(
    key('Barix estudio', usedAgo(3)),
    key('Códec móvil', { ...usedAgo(26 * 60), ...endsIn(30 * DAY_MS) }),
    key('Reserva', endsIn(30 * DAY_MS + 1)),
    key('Grabador', { kind: 'TOOL' }),
  );
  expect(rows()).toEqual([
    'Barix estudio · pidió su dirección hace 3 min',
    'Códec móvil · pidió su dirección ayer a las 18:57 · caduca el 4 ene 2027 a las 20:57',
    'Reserva · sin usar todavía',
  ]);
  expect(screen.queryAllByText(/^Un equipo que sigue conectado no la vuelve a pedir\./)).toHaveLength(1);
  expect(screen.getByText(/^Guía/)).toMatchObject({ pathname: '/docs/players', target: '_blank' });
});

test('an account’s last day is told by its last second, in the reader’s time', async () => {
  await opened(key('Barix', { expiry: '2026-12-08T00:00:00.000Z' }));
  expect(rows()).toEqual(['Barix · sin usar todavía · caduca el 7 dic a las 20:59']);
});

test('on a computer with a wrong clock ages count from the server’s time', async () => {
  pageAheadMs = 10 * MINUTE_MS;
  await opened(key('Barix', usedAgo(13)));
  expect(rows()).toEqual(['Barix · pidió su dirección hace 3 min']);
});

test('more than five players’ keys are folded', async () => {
  await opened(...['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((name) => key(name)));
  expect(rows()).toHaveLength(5);
  await openDisclosure('y 2 más');
  expect(rows()).toHaveLength(7);
});

test('open keys are read each minute while the page is visible', async () => {
  await opened(key('Barix'));
  setHidden(true);
  await passes(5 * MINUTE_MS);
  expect(server.requests).toEqual([]);
  setHidden(false);
  await answered(data(key('Barix', usedAgo(2.5))));
  expect(rows()).toEqual(['Barix · pidió su dirección hace 2 min']);
  await passes(MINUTE_MS);
  await answered(data(key('Barix', usedAgo(1.5))));
  expect(rows()).toEqual(['Barix · pidió su dirección hace 1 min']);
});

test('closed keys are not read', async () => {
  await answered(data(key('Barix')));
  await passes(5 * MINUTE_MS);
  expect(server.requests).toEqual([]);
});

test('a failed reading says so and keeps what was read', async () => {
  await opened(key('Barix'));
  await passes(MINUTE_MS);
  await answered(refused('DATABASE_UNAVAILABLE'));
  expect(status()).toMatch(/^Servicio no disponible\./);
  expect(rows()).toEqual(['Barix · sin usar todavía']);
  fireEvent.click(screen.getByRole('button', { name: 'Volver a intentarlo' }));
  await answered(data(key('Barix', usedAgo(0))));
  expect([rows(), status()]).toEqual([['Barix · pidió su dirección ahora'], '']);
});

test('a failed first reading says so', async () => {
  await answered(data(key('Barix')));
  await openDisclosure('Tus equipos');
  expect(status()).toBe('Cargando…');
  await answered(refused('DATABASE_UNAVAILABLE'));
  expect([rows(), status()]).toEqual([[], expect.stringMatching(/^Servicio no disponible\./)]);
});

test('keys that are revoked while they are shown take the list away', async () => {
  await opened(key('Barix'));
  await passes(MINUTE_MS);
  await answered(data());
  expect(document.body.textContent).toBe('');
});

test('an instance of an older release does not make the page look outdated', async () => {
  await answered(refused('GRAPHQL_VALIDATION_FAILED'));
  expect(server.page().state().isOutdated).toBe(false);
});

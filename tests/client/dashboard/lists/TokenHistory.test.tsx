import { act, fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { TokenHistory } from '../../../../client/dashboard/lists/TokenHistory.tsx';
import { DAY_MS, MINUTE_MS } from '../../../../shared/durations.ts';
import { fakeServer, refused } from '../../fakeServer.tsx';
import { storedRecords } from '../../storedRecords.ts';
import { openDisclosure } from '../openDisclosure.ts';

const HERE = '203.0.113.7';
const NOON = new Date(2026, 2, 1, 12);

const server = fakeServer();
let rerender: ReturnType<typeof render>['rerender'];

beforeEach(async () => {
  vi.useFakeTimers({ now: NOON });
  storedRecords().keepAccount({ id: 'a1', company: 'Radio Demo' });
  ({ rerender } = render(<TokenHistory creating={false} latestToken={undefined} />, {
    wrapper: server.Wrapper,
  }));
  expect(server.requests).toEqual([]);
  await openDisclosure('Tokens de hoy');
});

function record(minutesAgo: number, more: Record<string, unknown> = {}) {
  return {
    __typename: 'TokenRecord',
    id: `${minutesAgo}`,
    createdAt: new Date(NOON.getTime() - minutesAgo * MINUTE_MS).toISOString(),
    outcome: 'ISSUED',
    address: HERE,
    client: 'BROWSER',
    keyName: null,
    ...more,
  };
}

function page(nodes: unknown[], endCursor: string | null = null, ownAddress: string | null = HERE) {
  const edges = nodes.map((node) => ({ __typename: 'TokenEdge', node }));
  const pageInfo = { __typename: 'PageInfo', hasNextPage: endCursor !== null, endCursor };
  const session = { __typename: 'Session', id: 'a1', address: ownAddress };
  return {
    data: {
      serverTime: NOON.toISOString(),
      session,
      tokens: { __typename: 'TokenConnection', edges, pageInfo },
    },
  };
}

async function answer(request: (typeof server.requests)[number], body: unknown) {
  await act(async () => {
    request.answer(body);
    await vi.advanceTimersByTimeAsync(0);
  });
}

async function answered(body: unknown) {
  const request = await server.requested('Tokens');
  await answer(request, body);
  return request.variables;
}

function creationEnds(): void {
  rerender(<TokenHistory creating latestToken="first==" />);
  rerender(<TokenHistory creating={false} latestToken="first==" />);
}

const rows = () => screen.queryAllByRole('listitem').map((row) => row.textContent);
const status = () => screen.getByRole('status').textContent;
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

test('a history that is opened again asks anew', async () => {
  await answered(page([record(2)]));
  const details = screen.getByText('Tokens de hoy').closest('details') as HTMLDetailsElement;
  details.open = false;
  await act(() => fireEvent(details, new Event('toggle')));
  await openDisclosure('Tokens de hoy');
  await answered(page([record(1), record(2)]));
  expect(rows()).toHaveLength(2);
});

test('an opened history has a row for each token of today', async () => {
  expect(status()).toBe('Cargando…');
  await answered(
    page([
      record(1),
      record(2, { client: 'TOOL', address: '2001:db8::7', keyName: 'Códec' }),
      record(3, { outcome: 'PROVIDER_UNAVAILABLE', client: 'TOOL' }),
      record(4, { outcome: 'PROVIDER_BAD_ANSWER', address: null }),
    ]),
  );
  expect(rows()).toEqual([
    '11:59:00CreadoNavegador',
    '11:58:00CreadoCódec · 2001:db8::7',
    '11:57:00Falló: el proveedor no respondióHerramienta',
    '11:56:00Falló: el proveedor no entregó un TokenNavegador · IP desconocida',
  ]);
  expect(screen.queryByRole('button')).toBeNull();
});

const SINCE_MIDNIGHT = 12 * 60;

test.each([
  ['of midnight belongs', SINCE_MIDNIGHT, 1],
  ['of the millisecond before does not belong', SINCE_MIDNIGHT + 1 / MINUTE_MS, 0],
  ['dated ahead by the server’s clock belongs', -1, 1],
])('a token %s to today’s', async (_, minutesAgo, count) => {
  await answered(page([record(minutesAgo)]));
  expect(rows()).toHaveLength(count);
});

test('an unknown address is not taken for the browser’s own unknown one', async () => {
  await answered(page([record(1, { address: null })], null, null));
  expect(rows()[0]).toContain('IP desconocida');
});

test('on a computer whose clock reads tomorrow the history is of the server’s today', async () => {
  vi.setSystemTime(NOON.getTime() + DAY_MS);
  await answered(page([record(1), record(13 * 60)]));
  expect(rows()).toHaveLength(1);
});

test('the history shows further pages until it reaches yesterday', async () => {
  expect(await answered(page([record(1), record(2)], 'c1'))).toEqual({});
  press('Ver más');
  expect(await answered(page([record(3), record(13 * 60)], 'c2'))).toEqual({ after: 'c1' });
  expect(rows()).toHaveLength(3);
  expect(screen.queryByRole('button')).toBeNull();
});

test('an older page that a new first page overtook is asked for again', async () => {
  await answered(page([record(1), record(2)], 'c2'));
  press('Ver más');
  const overtaken = await server.requested('Tokens');
  creationEnds();
  await answered(page([record(0), record(1)], 'c1'));
  await answer(overtaken, page([record(3), record(4)], 'c4'));
  expect(await answered(page([record(2), record(3)], 'c3'))).toEqual({ after: 'c1' });
  const times = rows().map((row) => row?.slice(0, 5));
  expect(times).toEqual(['12:00', '11:59', '11:58', '11:57']);
});

test('the history is fetched again after each creation in any tab', async () => {
  await answered(page([]));
  expect(status()).toBe('Hoy no se ha pedido ningún Token.');
  creationEnds();
  await answered(page([record(1)]));
  rerender(<TokenHistory creating={false} latestToken="second==" />);
  await answered(page([record(0), record(1)]));
  expect(rows()).toHaveLength(2);
});

test('a failed history is fetched again at a press only', async () => {
  await answered(refused('DATABASE_UNAVAILABLE'));
  expect(status()).toMatch(/^Servicio no disponible\./);
  await act(() => vi.advanceTimersByTimeAsync(MINUTE_MS));
  expect(server.requests).toEqual([]);
  press('Volver a intentarlo');
  await answered(page([record(1)]));
  expect([rows().length, status()]).toEqual([1, '']);
});

test('a history that lacked the network is fetched again when it is back', async () => {
  const onLine = vi.spyOn(Navigator.prototype, 'onLine', 'get').mockReturnValue(false);
  const { fail } = await server.requested('Tokens');
  await act(async () => {
    fail();
    await vi.advanceTimersByTimeAsync(0);
  });
  expect(status()).toMatch(/^No hay conexión a la red\./);
  onLine.mockReturnValue(true);
  act(() => void window.dispatchEvent(new Event('online')));
  await answered(page([record(1)]));
  expect([rows().length, status()]).toEqual([1, '']);
});

test('the history keeps its list when a further page fails', async () => {
  await answered(page([record(1)], 'c1'));
  press('Ver más');
  await answered(refused('INTERNAL_SERVER_ERROR'));
  expect(status()).toMatch(/^No se pudo completar la operación\./);
  expect(rows()).toHaveLength(1);
  press('Volver a intentarlo');
  expect(await answered(page([record(2)]))).toEqual({ after: 'c1' });
  expect([rows().length, status()]).toEqual([2, '']);
});

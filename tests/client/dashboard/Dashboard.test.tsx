// @vitest-environment jsdom
import { ApolloProvider } from '@apollo/client/react';
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { apolloClient } from '../../../client/api/apolloClient.ts';
import Dashboard from '../../../client/dashboard/Dashboard.tsx';
import { localRecords } from '../../../client/session/localRecords.ts';
import { TOKEN_LIFETIME_MS } from '../../../shared/tokenLifetime.ts';
import { refused, stubServer } from '../fakeServer.ts';

/** Rendered by the dashboard without props, so exactly as often as the dashboard itself. */
const Notes = vi.hoisted(() => vi.fn(() => null));
vi.mock('../../../client/dashboard/Notes.tsx', () => ({ Notes }));

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const EXPIRED = 'Token expirado, Debes crear uno nuevo Token';

let server: ReturnType<typeof stubServer>;

beforeEach(() => {
  vi.useFakeTimers();
  server = stubServer();
  vi.stubGlobal('scrollTo', vi.fn());
  localRecords.keepAccount({ id: 'a1', company: 'Radio Demo' });
  localRecords.keepToken('abc==', Date.now() + TOKEN_LIFETIME_MS);
});

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function openDashboard() {
  return render(
    <ApolloProvider client={apolloClient}>
      <Dashboard company="Radio Demo" />
    </ApolloProvider>,
  );
}

test('each second renders only the clock, the ring and the tab’s title again, and the expiry the whole dashboard', async () => {
  const { container } = openDashboard();
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
  expect(localStorage.token_expire).toBe('0');
  expect(Notes.mock.calls.length).toBeGreaterThan(rendered);
});

test.each(['Reproductor', 'Caducidad del Token', 'Token'])('%s is a region with a heading', (name) => {
  openDashboard();
  const region = screen.getByRole('region', { name });
  expect(within(region).getByRole('heading', { level: 2, name })).toBeDefined();
});

const CREATED = {
  token: 'secret==',
  streamUrl: 'https://audio.example/?sign=secret==',
  lifetimeSeconds: 1_200,
};

test('a new token is shown and stored, but never written to the cache', async () => {
  const write = vi.spyOn(apolloClient.cache, 'write');
  openDashboard();
  fireEvent.click(screen.getByRole('button', { name: 'Crear Token' }));
  (await server.requested('CreateToken')).answer({ data: { createToken: CREATED } });
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(localRecords.token()?.token).toBe('secret==');
  expect(screen.getByRole('textbox', { name: 'Token' })).toHaveProperty('value', 'secret==');
  expect(JSON.stringify(write.mock.calls)).not.toContain('secret');
});

test('the announcement of a new token and its time left is removed after five seconds', async () => {
  openDashboard();
  const said = () => document.querySelector('p.visually-hidden[role=status]')?.textContent;
  act(() => localRecords.keepToken('secret==', Date.now() + TOKEN_LIFETIME_MS));
  await act(() => vi.advanceTimersByTimeAsync(4 * SECOND_MS));
  expect(said()).toBe('Token creado. Tiempo restante: 20 minutos.');
  await act(() => vi.advanceTimersByTimeAsync(SECOND_MS));
  expect(said()).toBe('');
});

test('a token that arrives after the partner signed out is not stored', async () => {
  const { unmount } = openDashboard();
  fireEvent.click(screen.getByRole('button', { name: 'Crear Token' }));
  const { answer } = await server.requested('CreateToken');
  fireEvent.click(screen.getByRole('link', { name: 'Cerrar Sesión' }));
  unmount();
  answer({ data: { createToken: CREATED } });
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(localRecords.token()).toBeNull();
});

test('after too many tokens a message counts down the time to wait, and screen readers announce its start and end', async () => {
  openDashboard();
  const message = () => screen.getByRole('alert').textContent;
  const live = () => screen.getByRole('alert').getAttribute('aria-live');
  const press = async (retryAfterSeconds: number) => {
    fireEvent.click(screen.getByRole('button', { name: 'Crear Token' }));
    const { answer } = await server.requested('CreateToken');
    answer({
      data: null,
      errors: [{ message: 'x', extensions: { code: 'RATE_LIMITED', retryAfterSeconds } }],
    });
    await act(() => vi.advanceTimersByTimeAsync(0));
  };
  await press(2);
  expect(message()).toBe('Demasiados Tokens seguidos. Inténtalo de nuevo en 2 segundos.');
  expect(live()).toBe('assertive');
  await act(() => vi.advanceTimersByTimeAsync(SECOND_MS));
  expect(message()).toBe('Demasiados Tokens seguidos. Inténtalo de nuevo en 1 segundo.');
  expect(live()).toBe('off');

  await press(60);
  expect(message()).toBe('Demasiados Tokens seguidos. Inténtalo de nuevo en 60 segundos.');
  await press(60);
  await act(() => vi.advanceTimersByTimeAsync(59 * SECOND_MS));
  expect(message()).toBe('Demasiados Tokens seguidos. Inténtalo de nuevo en 1 segundo.');
  await act(() => vi.advanceTimersByTimeAsync(SECOND_MS));
  expect(message()).toBe('Ya puedes intentarlo de nuevo.');
  expect(live()).toBe('assertive');
  expect(localRecords.token()?.token).toBe('abc==');
});

/** Presses the button and lets the server answer with `code`. */
async function failToCreate(code: string): Promise<void> {
  vi.spyOn(console, 'warn').mockReturnValue();
  fireEvent.click(screen.getByRole('button', { name: 'Crear Token' }));
  (await server.requested('CreateToken')).answer(refused(code));
  await act(() => vi.advanceTimersByTimeAsync(0));
}

test('the message about a failed creation goes after a minute', async () => {
  openDashboard();
  await failToCreate('PROVIDER_UNAVAILABLE');
  await act(() => vi.advanceTimersByTimeAsync(59 * SECOND_MS));
  expect(screen.getByRole('alert').textContent).toContain('El proveedor de audio no responde.');
  await act(() => vi.advanceTimersByTimeAsync(SECOND_MS));
  expect(screen.getByRole('alert').textContent).toBe('');
});

test('the message about a failed creation goes when the token expires', async () => {
  openDashboard();
  await passes(20 * MINUTE_MS - 10 * SECOND_MS);
  await failToCreate('PROVIDER_UNAVAILABLE');
  await passes(10 * SECOND_MS);
  expect(screen.getByRole('textbox', { name: 'Token' })).toHaveProperty('value', EXPIRED);
  expect(screen.getByRole('alert').textContent).toBe('');
});

async function create(): Promise<void> {
  fireEvent.click(screen.getByRole('button', { name: 'Crear Token' }));
  (await server.requested('CreateToken')).answer({ data: { createToken: CREATED } });
  await act(() => vi.advanceTimersByTimeAsync(0));
}

test('a created token is told for ten seconds', async () => {
  openDashboard();
  await create();
  await act(() => vi.advanceTimersByTimeAsync(9 * SECOND_MS));
  expect(screen.queryByText(/^Token creado a las/)).not.toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(SECOND_MS));
  expect(screen.queryByText(/^Token creado a las/)).toBeNull();
});

test('an expiry is an alarm for twenty minutes, also after a reload', async () => {
  const { unmount } = openDashboard();
  const text = () => screen.getByRole('textbox', { name: 'Token' });
  await passes(TOKEN_LIFETIME_MS);
  expect(text().getAttribute('aria-invalid')).toBe('true');
  await passes(TOKEN_LIFETIME_MS - MINUTE_MS);
  unmount();
  openDashboard();
  expect(text().getAttribute('aria-invalid')).toBe('true');
  await passes(2 * MINUTE_MS);
  expect(text()).toHaveProperty('value', EXPIRED);
  expect(text().getAttribute('aria-invalid')).toBe('false');
});

test('of the replaced tokens the newest is shown, and the others are folded with a name of their own each', async () => {
  openDashboard();
  await act(() => vi.advanceTimersByTimeAsync(SECOND_MS));
  await create();
  for (const token of ['third==', 'fourth==']) {
    await act(() => vi.advanceTimersByTimeAsync(SECOND_MS));
    act(() => localRecords.keepToken(token, Date.now() + TOKEN_LIFETIME_MS));
  }
  const folded = screen.getByText('Otras URL anteriores (2)').closest('details');
  expect(folded?.open).toBe(false);
  const fields = [...document.querySelectorAll<HTMLInputElement>('.token__earlier input')];
  expect(fields.map(({ value }) => value.split('sign=')[1])).toEqual(['third==', 'secret==', 'abc==']);
  expect(fields.map((field) => folded?.contains(field))).toEqual([false, true, true]);
  expect(new Set(fields.map(({ ariaLabel }) => ariaLabel)).size).toBe(3);
});

test('the programs for the URL are offered only with a token', async () => {
  openDashboard();
  await create();
  expect(screen.queryByText('Usar en tu software de emisión')).not.toBeNull();
  await passes(TOKEN_LIFETIME_MS);
  expect(screen.queryByText('Usar en tu software de emisión')).toBeNull();
});

test('the URL of a replaced token is shown with its own countdown until it expires, and is kept in memory only', async () => {
  const { unmount } = openDashboard();
  await passes(10 * MINUTE_MS);
  fireEvent.click(screen.getByRole('button', { name: 'Crear Token' }));
  (await server.requested('CreateToken')).answer({ data: { createToken: CREATED } });
  await act(() => vi.advanceTimersByTimeAsync(0));

  const earlier = screen.getByRole('textbox', { name: /^URL anterior, hasta las \d\d:\d\d:\d\d$/ });
  expect(earlier).toHaveProperty('value', 'https://audio.example/?sign=abc==');
  expect(screen.getByRole('textbox', { name: 'URL de la emisión' })).toHaveProperty(
    'value',
    'https://audio.example/?sign=secret==',
  );
  expect(Object.values({ ...localStorage }).join()).not.toContain('abc==');
  expect(screen.getAllByRole('button', { name: 'Copiar URL' })).toHaveLength(1);

  const rendered = Notes.mock.calls.length;
  const before = countdownOfEarlier();
  await act(() => vi.advanceTimersByTimeAsync(SECOND_MS));
  expect(before).toMatch(/^09 : 5\d$/);
  expect(countdownOfEarlier()).not.toBe(before);
  expect(Notes).toHaveBeenCalledTimes(rendered);

  const copy = screen.getByRole('button', { name: /^Copiar la anterior, hasta las/ });
  copy.focus();
  await passes(10 * MINUTE_MS);
  expect(screen.queryByRole('button', { name: /^Copiar la anterior, hasta las/ })).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Token' }));
  expect(screen.getByRole('timer').textContent).toMatch(/^09 : 5\d$/);

  act(() => localRecords.keepToken('third==', Date.now() + TOKEN_LIFETIME_MS));
  expect(screen.getAllByRole('button', { name: /^Copiar la anterior, hasta las/ })).toHaveLength(1);
  expect(document.querySelectorAll('.token__earlier')).toHaveLength(1);
  unmount();
  openDashboard();
  expect(screen.queryByRole('button', { name: /^Copiar la anterior, hasta las/ })).toBeNull();
});

test.each([-HOUR_MS, HOUR_MS, -24 * HOUR_MS, 24 * HOUR_MS])(
  'a clock that is wrong by %i ms keeps the token stored, and shows it within two seconds of being corrected',
  async (byMs) => {
    openDashboard();
    const shown = () => screen.getByRole('textbox', { name: 'Token' });
    const stored = { ...localStorage };
    vi.setSystemTime(Date.now() + byMs);
    await act(() => vi.advanceTimersByTimeAsync(2 * SECOND_MS));
    expect(shown()).not.toHaveProperty('value', 'abc==');
    expect(screen.getByRole('timer').textContent).toBe('00:00');
    expect({ ...localStorage }).toEqual(stored);
    vi.setSystemTime(Date.now() - byMs);
    await act(() => vi.advanceTimersByTimeAsync(2 * SECOND_MS));
    expect(shown()).toHaveProperty('value', 'abc==');
    expect(screen.getByRole('timer').textContent).toMatch(/^19 : 5\d$/);
  },
);

test.each([
  ['set back by half a minute shows the whole lifetime', -30 * SECOND_MS, /^19 : 5\d$/, 'abc=='],
  ['set forward by a minute shows a minute less', MINUTE_MS, /^18 : 5\d$/, 'abc=='],
  ['set forward past the expiry lets the token expire', 25 * MINUTE_MS, /^00:00$/, EXPIRED],
])('a clock %s', async (_, byMs, countdown, text) => {
  openDashboard();
  vi.setSystemTime(Date.now() + byMs);
  await act(() => vi.advanceTimersByTimeAsync(2 * SECOND_MS));
  expect(screen.getByRole('timer').textContent).toMatch(countdown);
  expect(screen.getByRole('textbox', { name: 'Token' })).toHaveProperty('value', text);
});

/** Lets so much time pass as a computer that sleeps meanwhile does. */
function passes(ms: number): Promise<void> {
  vi.setSystemTime(Date.now() + ms);
  return act(async () => void (await vi.advanceTimersByTimeAsync(SECOND_MS)));
}

function countdownOfEarlier(): string | null | undefined {
  return document.querySelector('.token__earlier:not([hidden]) .token__earlier-time')?.textContent;
}

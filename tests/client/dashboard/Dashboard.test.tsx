import { act, fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Dashboard } from '../../../client/dashboard/Dashboard.tsx';
import { dashboardTexts } from '../../../client/dashboard/dashboardTexts.ts';
import { Requests } from '../../../client/Requests.tsx';
import { texts } from '../../../client/texts.ts';
import { useShown } from '../../../client/usePage.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/durations.ts';
import { TOKEN_LIFETIME_MS } from '../../../shared/tokenLifetime.ts';
import { fakeServer, refused } from '../fakeServer.tsx';
import { byOtherTab, storedRecords } from '../storedRecords.ts';
import { openDisclosure } from './openDisclosure.ts';

const EXPIRED = 'Token expirado, Debes crear uno nuevo Token';

const CREATED = {
  token: 'secret==',
  company: 'Radio Demo',
  streamUrl: 'https://audio.example/?sign=secret==',
  lifetimeSeconds: 1_200,
};
const OPENED = {
  session: { __typename: 'Session', id: 'a1', company: 'Radio Demo' },
  stream: { __typename: 'Stream', baseUrl: 'https://audio.example/?sign=' },
};

const PLAYERS = dashboardTexts.playerKeys.heading;
const EXPIRY = '2030-01-01T00:00:00.000Z';
const KEYS = {
  data: {
    keys: [{ __typename: 'Key', name: 'Barix', kind: 'PLAYER', expiry: EXPIRY, lastUsed: null }],
    serverTime: EXPIRY,
  },
};

const ACCOUNT = { id: 'a1', company: 'Radio Demo' };
const server = fakeServer();

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('scrollTo', vi.fn());
  for (const act of ['load', 'pause'] as const) vi.spyOn(HTMLMediaElement.prototype, act).mockReturnValue();
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue();
  storedRecords().keepAccount(ACCOUNT);
  storedRecords().keepToken({ token: 'abc==', expiresAt: Date.now() + TOKEN_LIFETIME_MS });
});

function otherTabKeeps(token: string): void {
  act(() => byOtherTab((records) => records.keepToken({ token, expiresAt: Date.now() + TOKEN_LIFETIME_MS })));
}

function Opened() {
  const shown = useShown((all) => all);
  return shown.kind === 'signedIn' ? <Dashboard key={shown.screenNumber} shown={shown} /> : null;
}

function openDashboard() {
  const dashboard = (
    <>
      <Requests />
      <Opened />
    </>
  );
  return render(dashboard, { wrapper: server.Wrapper });
}

/** Lets time pass as on a computer that sleeps meanwhile. */
function passes(ms: number): Promise<void> {
  vi.setSystemTime(Date.now() + ms);
  return act(async () => void (await vi.advanceTimersByTimeAsync(SECOND_MS)));
}

const ticks = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const tokenText = () => screen.getByLabelText('Token', { selector: 'textarea' });
const message = () => screen.getByRole('alert').textContent;
const status = () => document.getElementById('player-status')?.textContent;
const play = () => screen.getByLabelText('Reproducir audio');
const copy = () => screen.getByLabelText('Copiar URL');

async function hear(): Promise<void> {
  fireEvent.click(play());
  (await server.requested('Dashboard')).answer({ data: OPENED });
  await ticks(0);
  fireEvent(document.querySelector('audio') as HTMLAudioElement, new Event('playing'));
}

async function create(answer: unknown = { data: { createToken: CREATED } }): Promise<void> {
  fireEvent.click(screen.getByText('Crear Token'));
  (await server.requested('CreateToken')).answer(answer);
  await ticks(0);
}

test('the playlist for other programs holds the address that ends in the token', async () => {
  openDashboard();
  (await server.requested('Dashboard')).answer({ data: OPENED });
  await ticks(0);
  const programs = await openDisclosure('Usar en tu software de emisión');
  const playlist = programs.querySelector<HTMLAnchorElement>('a[download]')?.href ?? '';
  expect(decodeURIComponent(playlist)).toContain(`${OPENED.stream.baseUrl}abc==`);
});

test('with a valid token at the start, copying its URL is the next step', async () => {
  openDashboard();
  (await server.requested('Dashboard')).answer({ data: OPENED });
  await ticks(0);
  expect(copy().className).toContain('button--primary');
  expect(play().className).not.toContain('play--next');
});

test('the countdown, the ring and the tab’s title follow the clock', async () => {
  const { container } = openDashboard();
  const ring = () => container.querySelector('.ring__left')?.getAttribute('stroke-dasharray');
  const countdown = screen.getByRole('timer');
  expect(countdown.textContent).toBe('19 : 59');
  await ticks(10 * SECOND_MS);
  expect(countdown.textContent).toBe('19 : 49');
  expect(document.title).toBe('19:49 · Audio Oficial Premium');
  expect(ring()).toMatch(/^0\.99[12]/);
  await passes(TOKEN_LIFETIME_MS);
  expect(countdown.textContent).toBe('00:00');
  expect(localStorage.token_expire).toBe('0');
});

test('nothing can be played or copied until some tab makes a token', () => {
  localStorage.removeItem('token');
  openDashboard();
  expect(tokenText()).toHaveProperty('value', 'Debes generar un Token');
  expect(status()).toBe('Debes generar un Token');
  for (const button of [play(), copy()]) expect(button).toHaveProperty('disabled', true);
  otherTabKeeps('abc==');
  fireEvent.click(play());
  expect(status()).toBe('Conectando…');
});

test('the players’ keys of the account are listed without a token', async () => {
  localStorage.removeItem('token');
  openDashboard();
  (await server.requested('Keys')).answer(KEYS);
  await ticks(0);
  expect(screen.queryByText(PLAYERS)).not.toBeNull();
});

test.each(['serverUnreachable', 'serverFails', 'otherPage', 'tooManyCookies', 'tooLarge'] as const)(
  'the page says what waits: %s',
  async (trouble) => {
    openDashboard();
    const copyWaits = () => screen.queryByText(dashboardTexts.copyWaits[trouble], { selector: '.url *' });
    expect(copyWaits()).toBeNull();
    act(() => server.page().send({ type: 'troubleChanged', trouble }));
    fireEvent.click(play());
    expect(screen.queryByText(dashboardTexts.playerHints[trouble], { selector: '.pitch *' })).not.toBeNull();
    expect(copyWaits()).not.toBeNull();
    await passes(TOKEN_LIFETIME_MS);
    expect(copyWaits()).toBeNull();
  },
);

test.each([
  ['a new name of the company', 'a1', 'Radio Demo FM'],
  ['no name of another account', 'a2', 'Radio Demo'],
])('the opened dashboard stores %s', async (_, id, stored) => {
  openDashboard();
  const session = { ...OPENED.session, id, company: 'Radio Demo FM' };
  (await server.requested('Dashboard')).answer({ data: { ...OPENED, session } });
  await ticks(0);
  expect(storedRecords().read().account).toEqual({ id: 'a1', company: stored });
});

test('a new token stores a new name of the company', async () => {
  openDashboard();
  await create({ data: { createToken: { ...CREATED, company: 'Radio Demo FM' } } });
  expect(storedRecords().read().account).toEqual({ id: 'a1', company: 'Radio Demo FM' });
});

test('a new token is shown and played at the address that the creation answered', async () => {
  openDashboard();
  (await server.requested('Dashboard')).answer({ data: OPENED });
  await ticks(0);
  const streamUrl = 'https://moved.example/?sign=secret==';
  await create({ data: { createToken: { ...CREATED, streamUrl } } });
  expect(screen.getByLabelText(dashboardTexts.url)).toHaveProperty('value', streamUrl);
  fireEvent.click(play());
  expect(document.querySelector('audio')).toHaveProperty('src', streamUrl);
});

test('while sound plays the page says that a new token pauses it', async () => {
  openDashboard();
  await hear();
  expect(status()).toBe('Audio en reproducción');
  const description = dashboardTexts.createPauses;
  expect(screen.getByText(description).id).toBe(
    screen.getByText('Crear Token').getAttribute('aria-describedby'),
  );
  await create();
  expect(status()).toBe('Audio en pausa');
  expect(screen.queryByText(description)).toBeNull();
});

test('the focus stays where it is when another program pauses the sound', async () => {
  openDashboard();
  await hear();
  const today = screen.getByText(TODAY);
  today.focus();
  act(() => void fireEvent.pause(document.querySelector('audio') as HTMLAudioElement));
  await ticks(SECOND_MS);
  screen.getByText('Otro programa o el sistema pausó el audio.');
  expect(document.activeElement).toBe(today);
});

test('sound that a creation paused goes on when the creation fails', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  openDashboard();
  await hear();
  fireEvent.click(screen.getByText('Crear Token'));
  const { answer } = await server.requested('CreateToken');
  expect(status()).toBe('Audio en pausa');
  answer(refused('PROVIDER_UNAVAILABLE'));
  await ticks(0);
  expect(status()).toBe('Audio en reproducción');
});

test('a token that plays stays shown through the session’s end and the next sign-in', async () => {
  openDashboard();
  await hear();
  act(() => byOtherTab((records) => records.clear()));
  expect(localStorage.token).toBeUndefined();
  expect(tokenText()).toHaveProperty('value', 'abc==');
  expect(screen.queryByText(dashboardTexts.urgencies.calm)).not.toBeNull();
  expect(screen.queryByText(dashboardTexts.sessionEnded.playing)).not.toBeNull();
  for (const control of [screen.getByText('Crear Token'), screen.getByLabelText(dashboardTexts.autoCreate)])
    expect(control).toHaveProperty('disabled', true);
  act(() => byOtherTab((records) => records.keepAccount(ACCOUNT)));
  expect(tokenText()).toHaveProperty('value', 'abc==');
  expect(copy()).toHaveProperty('disabled', false);
});

test('a creation that ends the session shows it once and announces it', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  openDashboard();
  await hear();
  await create(refused('UNAUTHENTICATED'));
  const told = screen.getAllByText(/^Tu sesión terminó\./);
  const seen = told.filter((element) => element.closest('.visually-hidden') === null);
  expect(seen.map(({ textContent }) => textContent)).toEqual([dashboardTexts.sessionEnded.playing]);
  expect(message()).toBe(texts.failures.UNAUTHENTICATED);
});

test('the request for an automatic token carries its header', async () => {
  openDashboard();
  await hear();
  fireEvent.click(screen.getByLabelText(dashboardTexts.autoCreate));
  expect(localStorage.create_token_on_loss).toBe('["a1"]');
  await passes(TOKEN_LIFETIME_MS);
  const audio = Object.assign(document.querySelector('audio') as HTMLAudioElement, { error: null });
  fireEvent(audio, new Event('ended'));
  await ticks(SECOND_MS);
  const { options } = await server.requested('CreateToken');
  expect(options.headers).toMatchObject({ 'x-unasked': 'true' });
  expect(status()).toBe('Debes generar un Token');
});

test('the media keys of the system reach the player', async () => {
  const setActionHandler = vi.fn();
  Object.assign(navigator, { mediaSession: { setActionHandler } });
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'mediaSession'));
  vi.stubGlobal('MediaMetadata', Object);
  openDashboard();
  fireEvent.click(play());
  expect(navigator.mediaSession.metadata).toMatchObject({ artist: 'Radio Demo' });
  for (const [key, told] of [
    ['pause', 'Audio en pausa'],
    ['play', 'Conectando…'],
  ]) {
    await ticks(SECOND_MS);
    const [, press] = setActionHandler.mock.calls.find(([name, act]) => name === key && act !== null) ?? [];
    act(() => press());
    expect(status()).toBe(told);
  }
});

test('the volume is kept over a reload', () => {
  const { unmount } = openDashboard();
  const slider = () => screen.getByLabelText('Volumen');
  expect(slider()).toHaveProperty('value', '100');
  fireEvent.change(slider(), { target: { value: '70' } });
  fireEvent.click(screen.getByLabelText('Silenciar'));
  unmount();
  server.closePage();
  openDashboard();
  expect(document.querySelector('audio')).toMatchObject({ volume: 0.7, muted: true });
  fireEvent.click(screen.getByLabelText('Activar sonido'));
  expect(slider()).toHaveProperty('value', '70');
  expect(document.querySelector('audio')).toMatchObject({ muted: false });
});

test('a new token is never written to the cache', async () => {
  vi.setSystemTime(new Date(2026, 10, 21, 19, 3, 12));
  const write = vi.spyOn(server.client().cache, 'write');
  openDashboard();
  await create();
  expect(localStorage.token).toBe('secret==');
  expect(tokenText()).toHaveProperty('value', 'secret==');
  expect(JSON.stringify(write.mock.calls)).not.toContain('secret');
  expect(screen.queryByText(dashboardTexts.deadline('19:23'))).not.toBeNull();
  await ticks(9 * SECOND_MS);
  expect(screen.getByRole('timer').textContent).toBe('19 : 50');
  expect(screen.queryByText(dashboardTexts.created('19:03'))).not.toBeNull();
  await ticks(SECOND_MS);
  expect(screen.queryByText(/^Token creado a las/)).toBeNull();
});

test.each([
  ['second press of a key', false, 0],
  ['second click of a double click', false, 2],
  ['single click', true, 1],
])('a %s just after a creation creates a token: %s', async (_press, creates, detail) => {
  openDashboard();
  await create();
  fireEvent.click(screen.getByText('Crear Token'), { detail });
  await ticks(0);
  expect(server.requests.some(({ operation }) => operation === 'CreateToken')).toBe(creates);
});

// A screen reader may not read what appears together with a part that was inert (seen in Firefox with Orca).
test('while a token is made all controls but the sign-out are inert, not the place of its failure', () => {
  openDashboard();
  fireEvent.click(screen.getByText('Crear Token'));
  const controls = [...document.querySelectorAll('button, input, textarea, summary, a')];
  const operable = controls.filter((control) => !control.closest('[inert]'));
  expect(operable.map(({ textContent }) => textContent)).toEqual(['Cerrar Sesión']);
  expect(screen.getByRole('alert').closest('[inert]')).toBeNull();
});

test('an answer that no rule can take ends the overlay, and the next press works', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  openDashboard();
  await create({ data: { createToken: { ...CREATED, streamUrl: null } } });
  expect(screen.queryByText(dashboardTexts.creating)).toBeNull();
  expect(message()).toBe(texts.failures.UNKNOWN);
  fireEvent.click(play());
  expect(status()).toBe('Conectando…');
});

test('a failed creation is told for a minute', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  openDashboard();
  await create(refused('PROVIDER_UNAVAILABLE'));
  await ticks(59 * SECOND_MS);
  expect(message()).toContain('El proveedor de audio no responde.');
  expect(console.warn).toHaveBeenCalledExactlyOnceWith('Something went wrong');
  await ticks(SECOND_MS);
  expect(message()).toBe('');
});

test('a failed creation is told for its minute although the token expires', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  openDashboard();
  await passes(20 * MINUTE_MS - 10 * SECOND_MS);
  await create(refused('PROVIDER_UNAVAILABLE'));
  await passes(10 * SECOND_MS);
  await ticks(2 * SECOND_MS);
  expect(tokenText()).toHaveProperty('value', EXPIRED);
  expect(message()).toContain('El proveedor de audio no responde.');
});

test('an expiry alarms for hours, despite a reload', async () => {
  const { unmount } = openDashboard();
  await create();
  await passes(TOKEN_LIFETIME_MS);
  expect(status()).toBe('Debes generar un Token');
  expect(screen.queryByText('Usar en tu software de emisión')).toBeNull();
  await passes(180 * MINUTE_MS);
  unmount();
  server.closePage();
  openDashboard();
  expect(tokenText()).toHaveProperty('value', EXPIRED);
  expect(tokenText().getAttribute('aria-invalid')).toBe('true');
});

test('replaced tokens are folded', async () => {
  openDashboard();
  await ticks(SECOND_MS);
  await create();
  for (const token of ['third==', 'fourth==']) {
    await ticks(SECOND_MS);
    otherTabKeeps(token);
  }
  expect(screen.queryByRole('textbox', { name: /^URL anterior/ })).toBeNull();
  const folded = await openDisclosure('URL anteriores (3)');
  const fields = [...folded.querySelectorAll('input')];
  expect(fields.map(({ value }) => value.split('sign=')[1])).toEqual(['third==', 'secret==', 'abc==']);
});

test('a replaced token is shown until it expires', async () => {
  openDashboard();
  await passes(10 * MINUTE_MS);
  await create();
  await openDisclosure('URL anterior');
  expect(screen.getByRole('textbox', { name: /^URL anterior 1, hasta las \d\d:\d\d$/ })).toHaveProperty(
    'value',
    'https://audio.example/?sign=abc==',
  );
  expect(document.querySelector('.token__earlier-time')?.textContent).toMatch(/^09 : 5\d$/);
  await passes(10 * MINUTE_MS);
  expect(screen.queryByRole('textbox', { name: /^URL anterior/ })).toBeNull();
});

const TODAY = dashboardTexts.history.heading;
const PROGRAMS = dashboardTexts.otherPrograms.heading;
const expires = () => passes(TOKEN_LIFETIME_MS);
const sessionEnds = () => act(() => byOtherTab((records) => records.clear()));

test.each([
  ['Copiar URL', 'disabled at the expiry', copy, expires],
  ['the list of programs', 'removed at the expiry', () => screen.getByText(PROGRAMS), expires],
  ['the list of earlier URLs', 'hidden at the last expiry', () => screen.getByText('URL anterior'), expires],
  ['an earlier URL', 'hidden at its expiry', () => screen.getByLabelText(/^URL anterior 1/), expires],
  ['Crear Token', 'disabled at the session’s end', () => screen.getByText('Crear Token'), sessionEnds],
  [
    'the tick',
    'disabled at the session’s end',
    () => screen.getByLabelText(dashboardTexts.autoCreate),
    sessionEnds,
  ],
  ['the list of today’s tokens', 'removed at the session’s end', () => screen.getByText(TODAY), sessionEnds],
  ['the players’ keys', 'removed at the session’s end', () => screen.getByText(PLAYERS), sessionEnds],
])('the focus moves from %s before it is %s', async (_name, _off, find, ends) => {
  openDashboard();
  await create();
  await hear();
  (await server.requested('Keys')).answer(KEYS);
  await ticks(0);
  await openDisclosure('URL anterior');
  const element = find();
  const isOff = () => !element.isConnected || element.matches(':disabled, [hidden] *');
  const blurred = vi.fn(isOff);
  element.focus();
  element.addEventListener('blur', blurred);
  await ends();
  expect(isOff()).toBe(true);
  expect(blurred).toHaveReturnedWith(false);
  expect(document.activeElement).toBe(document.getElementById('token-heading'));
});

test.each([-60 * MINUTE_MS, 60 * MINUTE_MS])(
  'a token outlives a clock that is wrong by %i ms for a while',
  async (byMs) => {
    openDashboard();
    const stored = { ...localStorage };
    vi.setSystemTime(Date.now() + byMs);
    await ticks(2 * SECOND_MS);
    expect(tokenText()).not.toHaveProperty('value', 'abc==');
    expect({ ...localStorage }).toEqual(stored);
    vi.setSystemTime(Date.now() - byMs);
    await ticks(2 * SECOND_MS);
    expect(tokenText()).toHaveProperty('value', 'abc==');
    expect(screen.getByRole('timer').textContent).toMatch(/^19 : 5\d$/);
  },
);

import type { Route } from 'playwright-core';
import { MINUTE_MS } from '../../shared/durations.ts';
import type { Partner, PartnerSite } from '../support/partnerSite.ts';
import { ACCOUNT } from '../support/testApp.ts';

const GRAPHQL = '**/graphql';
const SUPPORT_CONTACT = 'Soporte 24 h: soporte@radio.example o +34 600 123 456';

/** 200 characters, with a word that is wider than a phone. */
export const LONG_NAME =
  `Radiodifusora ${'Internacionalización'.repeat(3)} ${'de Comunicaciones y Deportes '.repeat(5)}`.slice(
    0,
    200,
  );

/** As long as a notice may be. */
const LONG_NOTICE =
  `El partido se retrasa hasta las 21:30 por la lluvia. ${'El audio de ambiente ya se oye. '.repeat(4)}`
    .slice(0, 160)
    .trim();

/** Brings a new partner's page into a state. */
type Show = (partner: Partner, site: PartnerSite) => Promise<unknown>;

/** The state after an act in another one, once the page shows a text. */
const after =
  (start: Show, act: Show, text: string): Show =>
  async (partner, site) => {
    await start(partner, site);
    await act(partner, site);
    await partner.sees(text);
  };

const visited: Show = ({ page }) => page.goto('/');
const signedIn: Show = (partner) => partner.signIn();
const active: Show = (partner) => withToken(partner, 3 * MINUTE_MS);
const signingIn: Show = (partner) => partner.fillIn(ACCOUNT.username, ACCOUNT.password);
const failingToSignIn: Show = (partner) => partner.fillIn(ACCOUNT.username, 'otra-cosa');
const creating: Show = ({ screen }) => screen.createToken.click();
const opening =
  (text: string): Show =>
  ({ page }) =>
    page.getByText(text, { exact: true }).click();

/** A start after which the API answers otherwise. */
const answered =
  (start: Show, answer: (route: Route) => Promise<unknown> | undefined): Show =>
  async (partner, site) => {
    await start(partner, site);
    await partner.page.route(GRAPHQL, answer);
  };

/** Every state of the screens that a partner can see. */
export const STATES: Record<string, Show> = {
  async 'signed-out'({ page, screen }) {
    await page.goto('/');
    await screen.signIn.waitFor();
  },
  'field-errors': after(visited, (partner) => partner.fillIn('cinco', ''), 'Debes ingresar una contraseña'),
  limited: after(
    answered(visited, refuse('RATE_LIMITED', { retryAfterSeconds: 75 })),
    async (partner, site) => {
      await offerSupport(partner);
      await failingToSignIn(partner, site);
    },
    'Demasiados intentos',
  ),
  'signing-in': after(
    answered(visited, () => undefined),
    signingIn,
    'Iniciando sesión',
  ),
  async 'cookies-blocked'(partner) {
    await refuseCookies(partner);
    await partner.page.goto('/');
    await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
    await partner.sees('Tu navegador bloquea las cookies');
  },
  'signed-out-elsewhere': after(signedIn, signOutElsewhere, 'La sesión se cerró en otra pestaña.'),
  'no-token': signedIn,
  async 'long-name'(partner, site) {
    await named(partner, LONG_NAME);
    await active(partner, site);
  },
  creating: after(
    answered(signedIn, () => undefined),
    creating,
    'Creando Token',
  ),
  active,
  async 'copy-refused'(partner, site) {
    await partner.page.addInitScript(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
      document.execCommand = () => false;
    });
    await after(active, ({ screen }) => screen.copy.click(), 'No se pudo copiar')(partner, site);
  },
  'other-programs': after(active, opening('Usar en tu software de emisión'), 'Descargar M3U'),
  async 'earlier-token'(partner, site) {
    await active(partner, site);
    await partner.createToken();
    await partner.screen.copy.click();
    await partner.sees('Copiada · conéctate antes de las');
    await opening('URL anterior')(partner, site);
  },
  async 'tokens-of-today'(partner, site) {
    const { id: accountId } = await site.app.prisma.account.findFirstOrThrow();
    const failed = { accountId, outcome: 'PROVIDER_UNAVAILABLE', client: 'BROWSER' } as const;
    await site.app.prisma.tokenRecord.create({ data: failed });
    // To a clock that is ahead, a record made just before midnight would be of yesterday.
    await withToken(partner, 0);
    await after(async () => {}, opening('Tokens de hoy'), 'Falló')(partner, site);
  },
  'players-keys': after(withPlayersKeys, opening('Tus equipos'), 'sin usar todavía'),
  async 'players-keys-all'(partner, site) {
    await withPlayersKeys(partner);
    await partner.createToken();
    await opening('Tus equipos')(partner, site);
    await after(async () => {}, opening('y 2 más'), 'Sala 2')(partner, site);
  },
  'players-keys-failed': after(
    answered(withPlayersKeys, refuse('DATABASE_UNAVAILABLE')),
    opening('Tus equipos'),
    'Servicio no disponible.',
  ),
  playing,
  async 'level-measured'(partner, _site) {
    await measuring(partner, 0.25);
    await playing(partner);
    await partner.page.locator('.waves--measured').waitFor({ state: 'attached' });
  },
  async silent(partner, _site) {
    await measuring(partner, 0);
    await playing(partner);
    // Without progress between them, the checks would find the connection lost.
    for (let seconds = 0; seconds < 12; seconds += 3) {
      await partner.soundAdvances();
      await partner.page.clock.runFor(3_000);
    }
    await partner.sees('La emisión llega en silencio.');
  },
  async 'zone-without-city'(partner, site) {
    const devTools = await partner.context.newCDPSession(partner.page);
    await devTools.send('Emulation.setTimezoneOverride', { timezoneId: 'UTC' });
    await withToken(partner, 0);
    await opening('Tokens de hoy')(partner, site);
    await partner.page
      .getByText(/^\d\d:\d\d:\d\d UTC$/)
      .first()
      .waitFor();
    await partner.page.clock.fastForward(18.5 * MINUTE_MS);
    await partner.screen.copy.click();
    await partner.sees(/Copiada · últimos minutos: conéctate antes de las \d\d:\d\d UTC/);
  },
  async 'last-two-minutes'(partner) {
    await withToken(partner, 18.5 * MINUTE_MS);
    await partner.play();
  },
  expired: (partner) => withToken(partner, 20 * MINUTE_MS),
  'expired-while-playing': outlivingToken,
  reconnecting,
  async 'sound-back'(partner, site) {
    await reconnecting(partner, site);
    // A loss of less than a second is not told.
    await partner.page.clock.runFor(2_000);
    await partner.page.unroute(streamOf(site));
    await partner.page.clock.runFor(12_000);
    await partner.sees('Se cortó');
  },
  dry: after(
    outlivingToken,
    ({ page }) => page.evaluate(() => document.querySelector('audio')?.dispatchEvent(new Event('error'))),
    'No llega más audio',
  ),
  'lost-for-good': after(outlivingToken, loseSound, 'Se perdió el audio'),
  muted: after(playing, ({ screen }) => screen.mute.click(), 'Está silenciado'),
  'paused-outside': after(
    playing,
    ({ page }) => page.evaluate(() => document.querySelector('audio')?.pause()),
    'Otro programa o el sistema pausó el audio.',
  ),
  'reloaded-after-expiry': after(
    outlivingToken,
    ({ page }) => page.reload(),
    'El audio se detuvo al cargar la página de nuevo.',
  ),
  reloaded: after(
    playing,
    ({ page }) => page.reload(),
    'El audio se detuvo al cargar la página de nuevo. Pulsa reproducir.',
  ),
  'session-ended-on-air': after(
    answered(playing, refuse('UNAUTHENTICATED')),
    opening('Tokens de hoy'),
    'Tu sesión terminó. El audio continúa.',
  ),
  'sound-cut': after(playing, signOutElsewhere, 'El audio terminó.'),
  async refused(partner, site) {
    const headers = { 'access-control-allow-origin': '*' };
    await partner.page.route(streamOf(site), (route) => route.fulfill({ status: 403, headers }));
    await after(active, ({ screen }) => screen.play.click(), 'Audio rechazado')(partner, site);
  },
  async 'notice-at-failed-sign-in'(partner, site) {
    await withNotice(partner);
    await after(visited, failingToSignIn, 'Credenciales invalidas')(partner, site);
    await partner.sees(LONG_NOTICE);
  },
  'notice-while-playing': after(withNotice, playing, LONG_NOTICE),
  'provider-failing': after(
    answered((partner) => withToken(partner, 12 * MINUTE_MS), refuse('PROVIDER_UNAVAILABLE')),
    creating,
    'El proveedor de audio no responde',
  ),
  'creation-failed-while-playing': after(
    answered(playing, refuse('PROVIDER_UNAVAILABLE')),
    creating,
    'El proveedor de audio no responde',
  ),
  'support-offered': after(
    answered(playing, refuse('PROVIDER_UNAVAILABLE')),
    async (partner, site) => {
      await offerSupport(partner);
      await creating(partner, site);
    },
    'Soporte 24 h',
  ),
  'other-page-answered': after(
    answered(playing, (route) => route.fulfill({ status: 401, contentType: 'text/html', body: 'SSO' })),
    creating,
    'Otra página contestó',
  ),
  'broken-panel': after(playing, breakPlayerPanel, 'Algo salió mal'),
  'broken-page': after(playing, breakDashboard, 'Algo salió mal'),
  'not-found': after(
    ({ page }) => page.goto('/no/existe'),
    async () => {},
    'Página no encontrada',
  ),
  'new-version': after(answered(signedIn, refuse('GRAPHQL_VALIDATION_FAILED')), creating, 'Volver a cargar'),
  async 'script-missing'({ page }) {
    await page.route('**/assets/index-*.js', (route) => route.abort());
    await page.goto('/');
    const message = page.getByText('La página no termina de cargar');
    // It appears after eight seconds.
    await message.evaluate((element) => element.getAnimations()[0]?.finish());
    await message.waitFor();
  },
};

/** The browser keeps no cookie that an answer brings. */
export async function refuseCookies({ context, page }: Partner): Promise<void> {
  await page.route(GRAPHQL, async (route) => {
    const response = await route.fetch();
    await context.clearCookies();
    await route.fulfill({ response, headers: { 'content-type': 'application/json' } });
  });
}

/** Lets the server answer with the longest notice of its operator. */
export async function withNotice({ page }: Partner): Promise<void> {
  await page.route(GRAPHQL, async (route) => {
    const notice = { text: LONG_NOTICE, since: new Date(Date.now() - MINUTE_MS) };
    if (route.request().postDataJSON()?.operationName === 'Notice')
      await route.fulfill({ json: { data: { notice } } });
    else await route.fallback();
  });
}

/** Signs in, and lets the server answer with seven players' keys. */
async function withPlayersKeys(partner: Partner): Promise<void> {
  const keys = [
    ['Barix estudio', 3, 300],
    ['Códec de la unidad móvil de exteriores, receptor de reserva', 26 * 60, 12],
    ['Emisor Sierra Norte', null, 200],
    ['Liquidsoap', 10 * 24 * 60, 300],
    ['Respaldo', 90, 0.5],
    ['Sala 2', 0, 300],
    ['Unidad móvil', null, 29],
  ].map(([name, usedMinutesAgo, endsInDays]) => ({
    __typename: 'Key',
    name,
    kind: 'PLAYER',
    expiry: new Date(Date.now() + Number(endsInDays) * 24 * 60 * MINUTE_MS),
    lastUsed: usedMinutesAgo === null ? null : new Date(Date.now() - Number(usedMinutesAgo) * MINUTE_MS),
  }));
  await partner.page.route(GRAPHQL, async (route) => {
    if (route.request().postDataJSON()?.operationName === 'Keys')
      await route.fulfill({ json: { data: { keys, serverTime: new Date() } } });
    else await route.fallback();
  });
  await partner.signIn();
  await partner.sees('Tus equipos');
}

/** Lets the server name the partner's company so. */
export async function named(partner: Partner, company: string): Promise<void> {
  await partner.page.route(GRAPHQL, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    const { session, login, createToken } = json.data ?? {};
    for (const answer of [session, login, createToken]) if (answer) answer.company = company;
    await route.fulfill({ response, json });
  });
}

export const SCREEN_STATES = Object.entries(STATES).map(([name, show]) => ({ name, show }));

async function signOutElsewhere({ context }: Partner): Promise<void> {
  const other = await context.newPage();
  await other.goto('/dashboard');
  await other.getByRole('link', { name: 'Cerrar Sesión' }).click();
}

async function withToken(partner: Partner, ageMs: number): Promise<void> {
  await partner.signIn();
  await partner.page.clock.install();
  await partner.createToken();
  await partner.page.clock.fastForward(ageMs);
}

async function playing(partner: Partner): Promise<void> {
  await withToken(partner, 5 * MINUTE_MS);
  await partner.play();
}

async function reconnecting(partner: Partner, site: PartnerSite): Promise<void> {
  await withToken(partner, MINUTE_MS);
  await partner.play();
  await partner.page.route(streamOf(site), (route) => route.abort());
  await loseSound(partner);
  await partner.sees('Reconectando');
}

async function outlivingToken(partner: Partner): Promise<void> {
  await withToken(partner, 0);
  await partner.play();
  await partner.page.clock.fastForward(20 * MINUTE_MS);
  await partner.sees('El audio continúa');
}

/** Lets the page measure this peak, from 0 to 1, as with `STREAM_CORS=on`. */
async function measuring({ page }: Partner, peak: number): Promise<void> {
  await page.addInitScript((value) => {
    AnalyserNode.prototype.getFloatTimeDomainData = (samples) => void samples.fill(value);
    document.addEventListener('DOMContentLoaded', () => {
      const meta = { name: 'stream-cors', content: 'on' };
      document.head.append(Object.assign(document.createElement('meta'), meta));
    });
  }, peak);
}

/** Takes a text out of the player's panel before it changes, as an extension might; the panel is drawn anew once. */
export async function breakPlayerPanel({ page, screen }: Partner): Promise<void> {
  const takeAway = () => page.locator('#player-status span').evaluate((element) => element.remove());
  await takeAway();
  await screen.mute.click();
  await page.getByText('Está silenciado').waitFor();
  await takeAway();
  await page.getByRole('button', { name: 'Activar sonido' }).click();
}

/** Takes the overlay away before two creations fail. */
export async function breakDashboard({ page, screen }: Partner): Promise<void> {
  await page.route(GRAPHQL, async (route) => {
    if (route.request().postDataJSON()?.operationName !== 'CreateToken') return route.fallback();
    await page.locator('.overlay').evaluate((element) => element.remove());
    await route.abort();
  });
  await screen.createToken.click();
  await page.getByText('El servidor no responde.').waitFor();
  await screen.createToken.click();
}

/** Lets the page know of a `SUPPORT_CONTACT`. */
function offerSupport({ page }: Partner): Promise<void> {
  return page.evaluate((content) => {
    document.head.append(Object.assign(document.createElement('meta'), { name: 'support-contact', content }));
  }, SUPPORT_CONTACT);
}

/** Ends the connection as a browser does that has nothing left to play: an error, and a paused element. */
function loseSound({ page }: Partner): Promise<void> {
  return page.evaluate(() => {
    const audio = document.querySelector('audio');
    audio?.pause();
    audio?.dispatchEvent(new Event('error'));
  });
}

function streamOf(site: PartnerSite): string {
  return `${new URL(site.streamBaseUrl).origin}/**`;
}

function refuse(code: string, more: Record<string, unknown> = {}) {
  return (route: Route) =>
    route.fulfill({ json: { errors: [{ message: code, extensions: { code, ...more } }] } });
}

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

/** Brings the page into a state: the first of a journey on a new page, each other one from the state before it. */
type Act = (partner: Partner, site: PartnerSite) => Promise<unknown>;

type Journey = Record<string, Act>;

/** Every state of the screens that a partner can see, in journeys by what happens in them. */
export const JOURNEYS: Record<string, Journey> = {
  'a page does not come, and then a partner signs in': {
    async 'not-found'(partner) {
      await partner.page.goto('/no/existe');
      await partner.sees('Página no encontrada');
    },
    async 'script-missing'({ page }) {
      await page.route('**/assets/index-*.js', (route) => route.abort());
      await page.goto('/');
      const message = page.getByText('La página no termina de cargar');
      // It appears after eight seconds.
      await message.evaluate((element) => element.getAnimations()[0]?.finish());
      await message.waitFor();
    },
    async 'notice-at-failed-sign-in'(partner) {
      await withNotice(partner);
      await partner.page.goto('/');
      await partner.fillIn(ACCOUNT.username, 'otra-cosa');
      await partner.sees('Credenciales invalidas');
      await partner.sees(LONG_NOTICE);
    },
    async 'signed-out'({ page, screen }) {
      await page.goto('/');
      await screen.signIn.waitFor();
    },
    async 'field-errors'(partner) {
      await partner.fillIn('cinco', '');
      await partner.sees('Debes ingresar una contraseña');
    },
    async 'cookies-blocked'(partner) {
      await refuseCookies(partner);
      await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
      await partner.sees('Tu navegador bloquea las cookies');
    },
    async limited(partner) {
      await partner.page.route(GRAPHQL, refuse('RATE_LIMITED', { retryAfterSeconds: 75 }));
      await offerSupport(partner);
      await partner.fillIn(ACCOUNT.username, 'otra-cosa');
      await partner.sees('Demasiados intentos');
    },
    async 'signing-in'(partner) {
      await partner.page.route(GRAPHQL, neverAnswer);
      await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
      await partner.sees('Iniciando sesión');
    },
  },

  'a partner begins': {
    'no-token': (partner) => partner.signIn(),
    async 'tokens-of-today'(partner, { app }) {
      const { id: accountId } = await app.prisma.account.findFirstOrThrow();
      const failed = { accountId, outcome: 'PROVIDER_UNAVAILABLE', client: 'BROWSER' } as const;
      await app.prisma.tokenRecord.create({ data: failed });
      await partner.createToken();
      await press(partner, 'Tokens de hoy');
      await partner.sees('Falló');
    },
    async 'signed-out-elsewhere'(partner) {
      await signOutElsewhere(partner);
      await partner.sees('La sesión se cerró en otra pestaña.');
    },
    async 'new-version'(partner) {
      await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
      await partner.screen.createToken.waitFor();
      await partner.page.route(GRAPHQL, refuse('GRAPHQL_VALIDATION_FAILED'));
      await partner.screen.createToken.click();
      await partner.sees('Volver a cargar');
    },
    // The last of its page, like `signing-in`: its request may go on without the route.
    async creating(partner) {
      await partner.page.reload();
      await partner.page.route(GRAPHQL, neverAnswer);
      await partner.screen.createToken.click();
      await partner.sees('Creando Token');
    },
  },

  'a token is used': {
    active: (partner) => partner.signIn(3 * MINUTE_MS),
    async 'other-programs'(partner) {
      await press(partner, 'Usar en tu software de emisión');
      await partner.sees('Descargar M3U');
    },
    async 'copy-refused'(partner) {
      await press(partner, 'Usar en tu software de emisión');
      await partner.page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
        document.execCommand = () => false;
      });
      await partner.screen.copy.click();
      await partner.sees('No se pudo copiar');
    },
    async 'earlier-token'(partner) {
      await partner.page.evaluate(() => {
        Reflect.deleteProperty(navigator.clipboard, 'writeText');
        Reflect.deleteProperty(document, 'execCommand');
      });
      await partner.createToken();
      await partner.screen.copy.click();
      await partner.sees('Copiada · conéctate antes de las');
      await press(partner, 'URL anterior');
    },
    async 'long-name'(partner) {
      await withCompany(partner, LONG_NAME);
      await partner.page.reload();
      await partner.sees(LONG_NAME);
      await partner.seesUrl();
    },
  },

  'players have keys': {
    async 'players-keys-failed'(partner) {
      await withPlayersKeys(partner);
      await partner.signIn();
      await partner.sees('Tus equipos');
      await partner.page.route(GRAPHQL, refuse('DATABASE_UNAVAILABLE'));
      await press(partner, 'Tus equipos');
      await partner.sees('Servicio no disponible.');
    },
    async 'players-keys'(partner) {
      await withPlayersKeys(partner);
      await press(partner, 'Volver a intentarlo');
      await partner.sees('sin usar todavía');
    },
    async 'players-keys-all'(partner) {
      await withPlayersKeys(partner);
      await partner.createToken();
      await press(partner, 'y 2 más');
      await partner.sees('Sala 2');
    },
  },

  'sound plays': {
    playing,
    async muted(partner) {
      await partner.screen.mute.click();
      await partner.sees('Está silenciado');
    },
    async 'paused-outside'(partner) {
      await partner.page.getByRole('button', { name: 'Activar sonido' }).click();
      await partner.page.evaluate(() => document.querySelector('audio')?.pause());
      await partner.sees('Otro programa o el sistema pausó el audio.');
    },
    async reloaded(partner) {
      await partner.play();
      await partner.page.reload();
      await partner.sees('El audio se detuvo al cargar la página de nuevo. Pulsa reproducir.');
    },
    async 'creation-failed-while-playing'(partner) {
      await partner.play();
      await failToCreate(partner);
    },
    async 'support-offered'(partner) {
      await offerSupport(partner);
      await failToCreate(partner);
      await partner.sees('Soporte 24 h');
    },
    async 'other-page-answered'(partner) {
      const headers = { location: 'https://gateway.example/login' };
      await partner.page.route(GRAPHQL, (route) => route.fulfill({ status: 302, headers }));
      await partner.screen.createToken.click();
      await partner.sees('Otra página contestó');
    },
    async 'session-ended-on-air'(partner) {
      await partner.page.route(GRAPHQL, refuse('UNAUTHENTICATED'));
      await press(partner, 'Tokens de hoy');
      await partner.sees('Tu sesión terminó. El audio continúa.');
    },
  },

  'sound is measured': {
    async 'level-measured'(partner) {
      await allowMeasuring(partner);
      await partner.page.clock.install();
      await partner.signIn(5 * MINUTE_MS);
      await measure(partner, 0.25);
      await partner.play();
      await partner.page.locator('.waves--measured').waitFor({ state: 'attached' });
    },
    async silent(partner) {
      await measure(partner, 0);
      // Without progress between them, the checks would find the connection lost.
      for (let seconds = 0; seconds < 12; seconds += 3) {
        await partner.soundAdvances();
        await partner.page.clock.runFor(3_000);
      }
      await partner.sees('La emisión llega en silencio.');
    },
    async 'sound-cut'(partner) {
      await signOutElsewhere(partner);
      await partner.sees('El audio terminó.');
    },
    async 'sound-cut-signed-in'(partner) {
      await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
      await partner.sees('La sesión se cerró en otra pestaña. El audio terminó.');
    },
  },

  'the connection is lost': {
    async reconnecting(partner, site) {
      await partner.page.clock.install();
      await partner.signIn(MINUTE_MS);
      await partner.play();
      // Of the context, so that it stays until the next state ends it.
      await partner.context.route(streamOf(site), (route) => route.abort());
      await loseSound(partner);
      await partner.sees('Reconectando');
    },
    async 'sound-back'(partner, site) {
      // A loss of less than a second is not told.
      await partner.page.clock.runFor(2_000);
      await partner.context.unroute(streamOf(site));
      await partner.page.clock.runFor(12_000);
      await partner.sees('Se cortó');
    },
  },

  'the operator has a notice, and then the provider refuses the token': {
    async 'notice-while-playing'(partner) {
      await withNotice(partner);
      await playing(partner);
      await partner.sees(LONG_NOTICE);
    },
    async refused(partner, site) {
      const headers = { 'access-control-allow-origin': '*' };
      await partner.page.route(streamOf(site), (route) => route.fulfill({ status: 403, headers }));
      await partner.page.reload();
      await partner.seesUrl();
      await partner.screen.play.click();
      await partner.sees('Audio rechazado');
    },
  },

  'no other token comes before the expiry, and then one on a computer that tells no city': {
    async 'provider-failing'(partner) {
      await partner.page.clock.install();
      await partner.signIn(12 * MINUTE_MS);
      await failToCreate(partner);
    },
    async expired(partner) {
      await partner.page.clock.fastForward(8 * MINUTE_MS);
      await partner.sees('Token expirado');
    },
    async 'zone-without-city'(partner) {
      const devTools = await partner.context.newCDPSession(partner.page);
      await devTools.send('Emulation.setTimezoneOverride', { timezoneId: 'UTC' });
      await partner.page.reload();
      await partner.createToken();
      await press(partner, 'Tokens de hoy');
      await partner.page
        .getByText(/^\d\d:\d\d:\d\d UTC$/)
        .first()
        .waitFor();
      await partner.page.clock.fastForward(18.5 * MINUTE_MS);
      await partner.screen.copy.click();
      await partner.sees(/Copiada · últimos minutos: conéctate antes de las \d\d:\d\d UTC/);
    },
  },

  'the token expires while sound plays': {
    async 'last-two-minutes'(partner) {
      await partner.page.clock.install();
      await partner.signIn(18.5 * MINUTE_MS);
      await partner.play();
    },
    async 'expired-while-playing'(partner) {
      await partner.page.clock.fastForward(1.5 * MINUTE_MS);
      await partner.sees('El audio continúa');
    },
    async dry(partner) {
      await partner.page.evaluate(() => document.querySelector('audio')?.dispatchEvent(new Event('error')));
      await partner.sees('No llega más audio');
    },
    async 'lost-for-good'(partner) {
      await loseSound(partner);
      await partner.sees('Se perdió el audio');
    },
    async 'reloaded-after-expiry'(partner) {
      await partner.page.reload();
      await partner.sees('El audio se detuvo al cargar la página de nuevo.');
    },
  },

  'drawing fails while sound plays': {
    async 'broken-panel'(partner) {
      await playing(partner);
      await breakPlayerPanel(partner);
      await partner.page.getByRole('alert').filter({ hasText: 'Algo salió mal' }).waitFor();
      await partner.soundAdvances();
    },
    async 'broken-page'(partner) {
      await breakDashboard(partner);
      await partner.page.getByRole('heading', { name: 'Algo salió mal' }).waitFor();
      await partner.soundAdvances();
    },
  },
};

export const STATES: Record<string, Act> = Object.fromEntries(
  Object.values(JOURNEYS).flatMap((journey) =>
    Object.keys(journey).map((name): [string, Act] => [
      name,
      (partner, site) => walk(journey, partner, site, async () => {}, name),
    ]),
  ),
);

/**
 * Brings the page into each state up to `last`, one after the other, and calls `inState` in each. Ends the page's routes
 * before the next state.
 */
export async function walk(
  journey: Journey,
  partner: Partner,
  site: PartnerSite,
  inState: (name: string) => Promise<unknown>,
  last?: string,
): Promise<void> {
  for (const [name, act] of Object.entries(journey)) {
    await partner.page.unrouteAll({ behavior: 'ignoreErrors' });
    await act(partner, site);
    await inState(name);
    if (name === last) return;
  }
}

export async function refuseCookies({ context, page }: Partner): Promise<void> {
  await page.route(GRAPHQL, async (route) => {
    const response = await route.fetch();
    await context.clearCookies();
    await route.fulfill({ response, headers: { 'content-type': 'application/json' } });
  });
}

export async function withNotice({ page }: Partner): Promise<void> {
  await page.route(GRAPHQL, async (route) => {
    const notice = { text: LONG_NOTICE, since: new Date(Date.now() - MINUTE_MS) };
    if (route.request().postDataJSON()?.operationName === 'Notice')
      await route.fulfill({ json: { data: { notice } } });
    else await route.fallback();
  });
}

async function withPlayersKeys({ page }: Partner): Promise<void> {
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
  await page.route(GRAPHQL, async (route) => {
    if (route.request().postDataJSON()?.operationName === 'Keys')
      await route.fulfill({ json: { data: { keys, serverTime: new Date() } } });
    else await route.fallback();
  });
}

export async function withCompany(partner: Partner, company: string): Promise<void> {
  await partner.page.route(GRAPHQL, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    const { session, login, createToken } = json.data ?? {};
    for (const answer of [session, login, createToken]) if (answer) answer.company = company;
    await route.fulfill({ response, json });
  });
}

function press({ page }: Partner, text: string): Promise<void> {
  return page.getByText(text, { exact: true }).click();
}

async function playing(partner: Partner): Promise<void> {
  await partner.signIn(5 * MINUTE_MS);
  await partner.play();
}

export async function failToCreate(partner: Partner): Promise<void> {
  await partner.page.route(GRAPHQL, refuse('PROVIDER_UNAVAILABLE'));
  await partner.screen.createToken.click();
  await partner.sees('El proveedor de audio no responde');
}

async function signOutElsewhere({ context }: Partner): Promise<void> {
  const other = await context.newPage();
  await other.goto('/dashboard');
  await other.getByRole('link', { name: 'Cerrar Sesión' }).click();
  await other.getByRole('button', { name: 'iniciar sesión' }).waitFor();
  await other.close();
}

/** Lets the page measure its sound, as with `STREAM_CORS=on`. */
async function allowMeasuring({ page }: Partner): Promise<void> {
  await page.addInitScript(() => {
    document.addEventListener('DOMContentLoaded', () => {
      const meta = { name: 'stream-cors', content: 'on' };
      document.head.append(Object.assign(document.createElement('meta'), meta));
    });
  });
}

/** Lets the page measure this peak, from 0 to 1. */
function measure({ page }: Partner, peak: number): Promise<void> {
  return page.evaluate((value) => {
    AnalyserNode.prototype.getFloatTimeDomainData = (samples) => void samples.fill(value);
  }, peak);
}

/** Takes a text out of the player's panel before it changes, as an extension might; the panel is drawn anew once. */
async function breakPlayerPanel({ page, screen }: Partner): Promise<void> {
  const takeAway = () => page.locator('#player-status span').evaluate((element) => element.remove());
  await takeAway();
  await screen.mute.click();
  await page.getByText('Está silenciado').waitFor();
  await takeAway();
  await page.getByRole('button', { name: 'Activar sonido' }).click();
}

/** Takes the overlay away before two creations fail. */
async function breakDashboard({ page, screen }: Partner): Promise<void> {
  await page.route(GRAPHQL, async (route) => {
    if (route.request().postDataJSON()?.operationName !== 'CreateToken') return route.fallback();
    await page.locator('.overlay').evaluate((element) => element.remove());
    await route.abort();
  });
  await screen.createToken.click();
  await page.getByText('El servidor no responde.').waitFor();
  await screen.createToken.click();
}

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

function neverAnswer(): void {}

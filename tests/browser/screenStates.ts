import type { Route } from 'playwright-core';
import type { Partner, PartnerSite } from '../support/partnerSite.ts';
import { ACCOUNT } from '../support/testApp.ts';

const MINUTE_MS = 60_000;
const GRAPHQL = '**/graphql';
const SUPPORT_CONTACT = 'Soporte 24 h: soporte@radio.example o +34 600 123 456';

/** 200 characters, with a word that is wider than a phone. */
export const LONG_NAME =
  `Radiodifusora ${'Internacionalización'.repeat(3)} ${'de Comunicaciones y Deportes '.repeat(5)}`.slice(
    0,
    200,
  );

/** Brings a new partner's page into a state. */
type Show = (partner: Partner, site: PartnerSite) => Promise<void>;

/** Every state of the screens that a partner can see. */
export const STATES: Record<string, Show> = {
  async 'signed-out'({ page, screen }) {
    await page.goto('/');
    await screen.signIn.waitFor();
  },
  async 'field-errors'(partner) {
    await partner.page.goto('/');
    await partner.fillIn('cinco', '');
    await partner.sees('Debes ingresar una contraseña');
  },
  async limited(partner) {
    await partner.page.route(GRAPHQL, refuse('RATE_LIMITED', { retryAfterSeconds: 75 }));
    await partner.page.goto('/');
    await offerSupport(partner);
    await partner.fillIn(ACCOUNT.username, 'otra-cosa');
    await partner.sees('Demasiados intentos');
  },
  async 'signing-in'(partner) {
    await partner.page.route(GRAPHQL, () => undefined);
    await partner.page.goto('/');
    await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
    await partner.sees('Iniciando sesión');
  },
  async 'cookies-blocked'(partner) {
    await partner.page.route(GRAPHQL, async (route) => {
      const response = await route.fetch();
      await partner.context.clearCookies();
      await route.fulfill({ response, headers: { 'content-type': 'application/json' } });
    });
    await partner.page.goto('/');
    await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
    await partner.sees('Tu navegador bloquea las cookies');
  },
  async 'signed-out-elsewhere'(partner) {
    await partner.signIn();
    await signOutElsewhere(partner);
    await partner.sees('La sesión se cerró en otra pestaña.');
  },
  'no-token': (partner) => partner.signIn(),
  async 'long-name'(partner) {
    await named(partner, LONG_NAME);
    await withToken(partner, 3 * MINUTE_MS);
  },
  async creating(partner) {
    await partner.signIn();
    await partner.page.route(GRAPHQL, () => undefined);
    await partner.screen.createToken.click();
    await partner.sees('Creando Token');
  },
  active: (partner) => withToken(partner, 3 * MINUTE_MS),
  async 'copy-refused'(partner) {
    await partner.page.addInitScript(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
      document.execCommand = () => false;
    });
    await withToken(partner, 3 * MINUTE_MS);
    await partner.screen.copy.click();
    await partner.sees('No se pudo copiar');
  },
  async 'other-programs'(partner) {
    await withToken(partner, 3 * MINUTE_MS);
    await partner.page.getByText('Usar en tu software de emisión').click();
    await partner.sees('Descargar M3U');
  },
  async 'earlier-token'(partner) {
    await withToken(partner, 3 * MINUTE_MS);
    await partner.createToken();
    await partner.screen.copy.click();
    await partner.sees('Copiada · conéctate antes de las');
    await partner.page.getByText('URL anterior', { exact: true }).click();
  },
  async 'tokens-of-today'(partner, site) {
    const { id: accountId } = await site.app.prisma.account.findFirstOrThrow();
    await site.app.prisma.tokenRecord.create({
      data: { accountId, outcome: 'PROVIDER_UNAVAILABLE', client: 'BROWSER' },
    });
    await withToken(partner, 3 * MINUTE_MS);
    await partner.page.getByText('Tokens de hoy').click();
    await partner.sees('Falló');
  },
  playing,
  async 'level-measured'(partner) {
    await measuring(partner, 0.25);
    await playing(partner);
    await partner.page.locator('.waves--measured').waitFor({ state: 'attached' });
  },
  async silent(partner) {
    await measuring(partner, 0);
    await playing(partner);
    // Without progress between them, the checks would find the connection lost.
    for (let seconds = 0; seconds < 12; seconds += 3) {
      await partner.soundAdvances();
      await partner.page.clock.runFor(3_000);
    }
    await partner.sees('La emisión llega en silencio.');
  },
  async 'last-two-minutes'(partner) {
    await withToken(partner, 18.5 * MINUTE_MS);
    await play(partner);
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
  async dry(partner) {
    await outlivingToken(partner);
    await partner.page.evaluate(() => document.querySelector('audio')?.dispatchEvent(new Event('error')));
    await partner.sees('No llega más audio');
  },
  async 'lost-for-good'(partner) {
    await outlivingToken(partner);
    await loseSound(partner);
    await partner.sees('Se perdió el audio');
  },
  async muted(partner) {
    await playing(partner);
    await partner.screen.mute.click();
    await partner.sees('Está silenciado');
  },
  async 'paused-outside'(partner) {
    await playing(partner);
    await partner.page.evaluate(() => document.querySelector('audio')?.pause());
    await partner.sees('Otro programa o el sistema pausó el audio.');
  },
  async reloaded(partner) {
    await playing(partner);
    await partner.page.reload();
    await partner.sees('El audio se detuvo al cargar la página de nuevo.');
  },
  async 'session-ended-on-air'(partner) {
    await playing(partner);
    await partner.page.route(GRAPHQL, refuse('UNAUTHENTICATED'));
    await partner.page.getByText('Tokens de hoy').click();
    await partner.sees('Tu sesión terminó. El audio continúa.');
  },
  async 'sound-cut'(partner) {
    await playing(partner);
    await signOutElsewhere(partner);
    await partner.sees('El audio terminó.');
  },
  async refused(partner, site) {
    await withToken(partner, 3 * MINUTE_MS);
    const headers = { 'access-control-allow-origin': '*' };
    await partner.page.route(streamOf(site), (route) => route.fulfill({ status: 403, headers }));
    await partner.screen.play.click();
    await partner.sees('Audio rechazado');
  },
  async 'notice-at-failed-sign-in'(partner) {
    await withNotice(partner);
    await partner.page.goto('/');
    await partner.fillIn('nadie@radio.example', 'otra-cosa');
    await partner.sees('Credenciales invalidas');
    await partner.sees(LONG_NOTICE);
  },
  async 'notice-while-playing'(partner) {
    await withNotice(partner);
    await playing(partner);
    await partner.sees(LONG_NOTICE);
  },
  async 'provider-failing'(partner) {
    await withToken(partner, 12 * MINUTE_MS);
    await partner.page.route(GRAPHQL, refuse('PROVIDER_UNAVAILABLE'));
    await partner.screen.createToken.click();
    await partner.sees('El proveedor de audio no responde');
  },
  async 'not-found'({ page }) {
    await page.goto('/no/existe');
    await page.getByText('Página no encontrada').waitFor();
  },
  async 'new-version'(partner) {
    await partner.signIn();
    await partner.page.route(GRAPHQL, refuse('GRAPHQL_VALIDATION_FAILED'));
    await partner.screen.createToken.click();
    await partner.page.getByRole('button', { name: 'Volver a cargar' }).waitFor();
  },
  async 'script-missing'({ page }) {
    await page.route('**/assets/index-*.js', (route) => route.abort());
    await page.goto('/');
    const message = page.getByText('La página no termina de cargar');
    // It appears after eight seconds.
    await message.evaluate((element) => element.getAnimations()[0]?.finish());
    await message.waitFor();
  },
};

/** As long as a notice may be. */
const LONG_NOTICE =
  `El partido se retrasa hasta las 21:30 por la lluvia. ${'El audio de ambiente ya se oye. '.repeat(4)}`
    .slice(0, 160)
    .trim();

/** Lets the server answer with the longest notice of its operator. */
export async function withNotice({ page }: Partner): Promise<void> {
  await page.route(GRAPHQL, async (route) => {
    const notice = { text: LONG_NOTICE, since: new Date(Date.now() - MINUTE_MS) };
    if (route.request().postDataJSON()?.operationName === 'Notice')
      await route.fulfill({ json: { data: { notice } } });
    else await route.fallback();
  });
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

async function play({ page, screen }: Partner): Promise<void> {
  await screen.play.click();
  await page.getByText('Audio en reproducción').waitFor();
}

async function playing(partner: Partner): Promise<void> {
  await withToken(partner, 5 * MINUTE_MS);
  await play(partner);
}

async function reconnecting(partner: Partner, site: PartnerSite): Promise<void> {
  await withToken(partner, MINUTE_MS);
  await play(partner);
  await partner.page.route(streamOf(site), (route) => route.abort());
  await loseSound(partner);
  await partner.sees('Reconectando');
}

async function outlivingToken(partner: Partner): Promise<void> {
  await withToken(partner, 0);
  await play(partner);
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

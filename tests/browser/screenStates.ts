import type { Route } from 'playwright-core';
import type { Partner, PartnerSite } from '../support/partnerSite.ts';
import { ACCOUNT } from '../support/testApp.ts';

const MINUTE_MS = 60_000;
const GRAPHQL = '**/graphql';

export type ScreenState = {
  name: string;
  /** Brings a new partner's page into this state. */
  show(partner: Partner, site: PartnerSite): Promise<void>;
};

/** Every state of the screens that a partner can see. */
export const SCREEN_STATES: ScreenState[] = [
  {
    name: 'signed-out',
    async show({ page, screen }) {
      await page.goto('/');
      await screen.signIn.waitFor();
    },
  },
  {
    name: 'field-errors',
    async show(partner) {
      await partner.page.goto('/');
      await partner.fillIn('cinco', '');
      await partner.page.getByText('Debes ingresar una contraseña').waitFor();
    },
  },
  {
    name: 'wrong-credentials',
    async show(partner) {
      await partner.page.goto('/');
      await partner.fillIn('nadie@radio.example', 'otra-cosa');
      await partner.page.getByText('Credenciales invalidas').waitFor();
    },
  },
  {
    name: 'limited',
    async show(partner) {
      await partner.page.route(GRAPHQL, refuse('RATE_LIMITED', { retryAfterSeconds: 75 }));
      await partner.page.goto('/');
      await partner.fillIn(ACCOUNT.username, 'otra-cosa');
      await partner.page.getByText('Demasiados intentos').waitFor();
    },
  },
  {
    name: 'signing-in',
    async show(partner) {
      await partner.page.route(GRAPHQL, () => undefined);
      await partner.page.goto('/');
      await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
      await partner.page.getByText('Iniciando sesión').waitFor();
    },
  },
  { name: 'no-token', show: (partner) => partner.signIn() },
  {
    name: 'creating',
    async show(partner) {
      await partner.signIn();
      await partner.page.route(GRAPHQL, () => undefined);
      await partner.screen.createToken.click();
      await partner.page.getByText('Creando Token').waitFor();
    },
  },
  { name: 'active', show: (partner) => withToken(partner, 3 * MINUTE_MS) },
  {
    name: 'address-awaited',
    async show(partner) {
      await withToken(partner, 3 * MINUTE_MS);
      await partner.page.route(GRAPHQL, () => undefined);
      await partner.page.reload();
      await partner.screen.copy.waitFor();
    },
  },
  {
    name: 'copied',
    async show(partner) {
      await withToken(partner, 3 * MINUTE_MS);
      await partner.screen.copy.click();
      await partner.page.getByText('URL copiada').waitFor();
    },
  },
  {
    name: 'copy-refused',
    async show(partner) {
      await partner.page.addInitScript(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
        document.execCommand = () => false;
      });
      await withToken(partner, 3 * MINUTE_MS);
      await partner.screen.copy.click();
      await partner.page.getByText('No se pudo copiar').waitFor();
    },
  },
  {
    name: 'other-programs',
    async show(partner) {
      await withToken(partner, 3 * MINUTE_MS);
      await partner.page.getByText('Usar en otro programa').click();
      await partner.page.getByText('Descargar M3U').waitFor();
    },
  },
  {
    name: 'connecting',
    async show(partner, site) {
      await withToken(partner, 3 * MINUTE_MS);
      await partner.page.route(streamOf(site), () => undefined);
      await partner.screen.play.click();
      await partner.page.getByText('Conectando').waitFor();
    },
  },
  {
    name: 'playing',
    async show(partner) {
      await withToken(partner, 5 * MINUTE_MS);
      await play(partner);
    },
  },
  {
    name: 'last-two-minutes',
    async show(partner) {
      await withToken(partner, 18.5 * MINUTE_MS);
      await play(partner);
    },
  },
  { name: 'expired', show: (partner) => withToken(partner, 20 * MINUTE_MS) },
  {
    name: 'expired-while-playing',
    async show(partner) {
      await withToken(partner, 0);
      await play(partner);
      await partner.page.clock.fastForward(20 * MINUTE_MS);
      await partner.page.waitForFunction(
        () => document.querySelector('[role=timer]')?.textContent === '00:00',
      );
    },
  },
  {
    name: 'reconnecting',
    async show(partner, site) {
      await withToken(partner, MINUTE_MS);
      await play(partner);
      await partner.page.route(streamOf(site), (route) => route.abort());
      await partner.page.evaluate(() => document.querySelector('audio')?.dispatchEvent(new Event('error')));
      await partner.page.getByText('Reconectando').waitFor();
    },
  },
  {
    name: 'refused',
    async show(partner, site) {
      await withToken(partner, 3 * MINUTE_MS);
      const headers = { 'access-control-allow-origin': '*' };
      await partner.page.route(streamOf(site), (route) => route.fulfill({ status: 403, headers }));
      await partner.screen.play.click();
      await partner.page.getByText('Audio rechazado').waitFor();
    },
  },
  {
    name: 'provider-failing',
    async show(partner) {
      await withToken(partner, 12 * MINUTE_MS);
      await partner.page.route(GRAPHQL, refuse('PROVIDER_UNAVAILABLE'));
      await partner.screen.createToken.click();
      await partner.page.getByText('El proveedor de audio no responde').waitFor();
    },
  },
  {
    name: 'offline',
    async show(partner) {
      await partner.signIn();
      await partner.context.setOffline(true);
      await partner.screen.createToken.click();
      await partner.page.getByText('No hay conexión a la red').waitFor();
    },
  },
  {
    name: 'not-found',
    async show({ page }) {
      await page.goto('/no/existe');
      await page.getByText('Página no encontrada').waitFor();
    },
  },
  {
    name: 'crash',
    async show(partner) {
      await partner.signIn();
      await partner.page.route('**/assets/Dashboard-*', (route) => route.abort());
      await partner.page.reload();
      await partner.page.getByText('Algo salió mal').waitFor();
    },
  },
  {
    name: 'script-missing',
    async show({ page }) {
      await page.route('**/assets/index-*.js', (route) => route.abort());
      await page.goto('/');
      await page.getByText('La página no termina de cargar').waitFor({ state: 'visible', timeout: 15_000 });
    },
  },
  {
    name: 'browser-too-old',
    async show({ page }) {
      await page.addInitScript(() => Reflect.deleteProperty(HTMLElement.prototype, 'inert'));
      await page.goto('/');
      await page.getByText('Este navegador es demasiado antiguo').waitFor();
    },
  },
];

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

function streamOf(site: PartnerSite): string {
  return `${new URL(site.streamBaseUrl).origin}/**`;
}

function refuse(code: string, more: Record<string, unknown> = {}) {
  return (route: Route) =>
    route.fulfill({ json: { errors: [{ message: code, extensions: { code, ...more } }] } });
}

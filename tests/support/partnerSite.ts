import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { startDemoProvider } from '../../server/demo/demoProvider.ts';
import type { SandboxOptions } from '../../server/graphql/sandbox.ts';
import type { PageConfig } from '../../server/http/clientFiles.ts';
import { createStreamProvider } from '../../server/streamTokens/streamProvider.ts';
import { SECOND_MS } from '../../shared/durations.ts';
import { DASHBOARD_PATH, HEALTH_PATH } from '../../shared/paths.ts';
import { PATIENCE_MS } from './patientDatabase.ts';
import { ACCOUNT, CREATE_TOKEN, LOGIN, startTestApp } from './testApp.ts';
import { chromiumLaunch } from './testChromium.ts';
import { CHROMIUM_FLAGS } from './testTools.ts';

/** A host name for this machine that browsers do not call a secure context, like a studio's own network. */
export const STUDIO_HOST = 'estudio.example';

/** Motion is for tests of motion: Chromium paints each of its frames on the processor. */
const PARTNER = { locale: 'es-ES', reducedMotion: 'reduce' } as const;

type SiteOptions = {
  pageConfig?: PageConfig;
  sandbox?: SandboxOptions;
  trustProxy?: number;
  /** Lets the browser take the site, but not its stream, for one of the public internet. */
  inPublicNetwork?: boolean;
  /** The browser's own size of text, in percent. */
  textSize?: number;
  inFrontOfStream?: (streamBaseUrl: string) => string | Promise<string>;
};

/** Starts the built client, the real app with a database, and the demo's streaming provider. */
export async function startSite({
  inFrontOfStream = (streamBaseUrl) => streamBaseUrl,
  ...options
}: SiteOptions = {}) {
  const provider = await startDemoProvider({ host: '127.0.0.1', port: 0 });
  const streamBaseUrl = await inFrontOfStream(provider.streamBaseUrl);
  const app = await startTestApp({
    streamBaseUrl,
    provider: createStreamProvider({
      tokenUrl: provider.tokenUrl,
      authSignParameter: 'wmsAuthSign',
      log: { warn() {} },
      timeoutMs: PATIENCE_MS,
    }),
    clientFolder: path.join(PROJECT_ROOT, 'dist', 'client'),
    ...options,
  });
  await app.addAccount(ACCOUNT);
  return {
    app,
    url: app.url,
    streamBaseUrl,
    async close() {
      await provider.close();
      await app.close();
    },
  };
}

/** Playwright's own settings of Chromium, which a flag of ours replaces: a mouse that can hover. */
const MOUSE = 'primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4';

export async function startPartnerSite({ inPublicNetwork = false, textSize, ...options }: SiteOptions = {}) {
  const site = await startSite(options);
  const publicSite = `--ip-address-space-overrides=${new URL(site.url).host}=public`;
  const browser = await chromium.launch({
    ...chromiumLaunch(),
    args: [
      ...CHROMIUM_FLAGS,
      `--host-resolver-rules=MAP ${STUDIO_HOST} 127.0.0.1`,
      ...(inPublicNetwork ? [publicSite] : []),
      ...(textSize === undefined
        ? []
        : [`--blink-settings=${MOUSE},defaultFontSize=${(16 * textSize) / 100}`]),
    ],
  });
  return {
    ...site,
    browser,
    newPartner: (options?: Parameters<Browser['newContext']>[0]) => newPartner(browser, site.url, options),
    async close() {
      await browser.close();
      await site.close();
    },
  };
}

export type PartnerSite = Awaited<ReturnType<typeof startPartnerSite>>;

/** Opens a browser context for one partner. `complaints` collects errors of the console and the page. */
async function newPartner(browser: Browser, url: string, options?: Parameters<Browser['newContext']>[0]) {
  const context = await browser.newContext({ baseURL: url, ...PARTNER, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return {
    context,
    page,
    complaints,
    ...deedsOf(context, page),
    /** Removes all routes first: one that still answers a request when the context closes fails the whole run. */
    async close() {
      const routed = [context, ...context.pages()];
      await Promise.all(routed.map((part) => part.unrouteAll({ behavior: 'ignoreErrors' })));
      await context.close();
    },
  };
}

export type Partner = Awaited<ReturnType<PartnerSite['newPartner']>>;

function deedsOf(context: BrowserContext, page: Page) {
  const screen = {
    username: page.getByLabel('Correo electrónico'),
    password: page.getByLabel('Contraseña'),
    signIn: page.getByRole('button', { name: 'iniciar sesión' }),
    createToken: page.getByRole('button', { name: 'Crear Token' }),
    play: page.getByRole('button', { name: 'Reproducir audio' }),
    pause: page.getByRole('button', { name: 'Pausar audio' }),
    copy: page.getByRole('button', { name: 'Copiar URL' }),
    token: page.getByRole('textbox', { name: 'Token' }),
    tokenHeading: page.getByRole('heading', { name: 'Token', exact: true }),
    countdown: page.getByRole('timer'),
    playerStatus: page.locator('#player-status'),
    volume: page.getByRole('slider', { name: 'Volumen' }),
    mute: page.getByRole('button', { name: 'Silenciar' }),
    signOut: page.getByRole('link', { name: 'Cerrar Sesión' }),
  };
  async function ask(query: string, variables = {}) {
    const answer = await context.request.post('/graphql', { data: { query, variables } });
    return (await answer.json()).data;
  }
  return {
    screen,
    async fillIn(username: string, password: string) {
      await screen.username.fill(username);
      await screen.password.fill(password);
      await screen.signIn.click();
    },
    async signInByForm(at = '/') {
      await page.goto(at);
      await this.fillIn(ACCOUNT.username, ACCOUNT.password);
      await screen.createToken.waitFor();
    },
    /**
     * Opens the dashboard as `signInByForm` leaves it, in half the time.
     * @param tokenAgeMs - if given, the dashboard opens with a token that was created so long ago
     */
    async signIn(tokenAgeMs?: number) {
      const { username, password } = ACCOUNT;
      const { id, company } = (await ask(LOGIN, { username, password })).login;
      const records: Record<string, string> = { account: JSON.stringify({ logged: true, id, company }) };
      if (tokenAgeMs !== undefined) {
        const { token, lifetimeSeconds } = (await ask(CREATE_TOKEN)).createToken;
        records.token = token;
        records.token_expire = String(Date.now() + lifetimeSeconds * SECOND_MS - tokenAgeMs);
      }
      await page.goto(HEALTH_PATH);
      await page.evaluate((items) => Object.assign(localStorage, items), records);
      await page.goto(DASHBOARD_PATH);
      await screen.createToken.waitFor();
      if (tokenAgeMs !== undefined) await this.seesUrl();
    },
    async createToken(): Promise<string> {
      const before = await screen.token.inputValue();
      await screen.createToken.click();
      await page.waitForFunction((old) => document.querySelector('textarea')?.value !== old, before);
      return screen.token.inputValue();
    },
    storage: () => page.evaluate(() => ({ ...localStorage })),
    sees: (text: string | RegExp) => page.getByText(text).waitFor(),
    /** Waits for the URL of the token, of which a part comes from the server. */
    seesUrl: () => page.locator('.url__short').waitFor(),
    status: (text: string) => page.locator('#player-status', { hasText: text }).waitFor(),
    async play() {
      await screen.play.click();
      await this.status('Audio en reproducción');
    },
    async wholeJob(): Promise<string> {
      await this.signInByForm();
      const token = await this.createToken();
      await this.play();
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await screen.copy.click();
      await this.sees('Copiada · conéctate antes de las');
      return token;
    },
    /** Waits until the audio has played on; by default so long that a press of its button no longer counts as a double one. */
    async soundAdvances(byAtLeastSeconds = 0.5) {
      const seconds = () => document.querySelector('audio')?.currentTime ?? 0;
      const goal = (await page.evaluate(seconds)) + byAtLeastSeconds;
      await page.waitForFunction(
        (least) => (document.querySelector('audio')?.currentTime ?? 0) > least,
        goal,
      );
    },
    clipboard: async () => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      return page.evaluate(() => navigator.clipboard.readText());
    },
  };
}

import type { BrowserContext, Locator, Page, Route } from 'playwright-core';
import { describe, expect } from 'vitest';
import { startTcpProxy } from '../support/tcpProxy.ts';
import { ACCOUNT, SESSION } from '../support/testApp.ts';
import { test } from './partnerTest.ts';

const storeAccount = (page: Page, record: string) =>
  page.addInitScript((value) => localStorage.setItem('account', value), record);

const refused = (code: string, more = {}) => ({
  data: null,
  errors: [{ message: 'x', extensions: { code, ...more } }],
});
const INVALID_CREDENTIALS = refused('INVALID_CREDENTIALS');

const focusIs = (page: Page, id: string) =>
  page.waitForFunction((wanted) => document.activeElement?.id === wanted, id);

/** Sets the value without an event, of which React learns nothing. */
const fillInSilently = (field: Locator, value: string) =>
  field.evaluate((input, text) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
  }, value);

async function sessionCookie(context: BrowserContext) {
  return (await context.cookies()).find(({ name }) => name === 'session');
}

describe('the login screen', () => {
  test('shows logo, title, both fields marked Obligatorio, the button and the copyright', async ({
    partner,
  }) => {
    const { page, screen, complaints } = partner;
    await page.goto('/');
    await screen.signIn.waitFor();
    expect(await page.title()).toBe('Audio Oficial Premium');
    expect(await page.locator('html').getAttribute('lang')).toBe('es');
    expect(await page.getByText('Audio Oficial Premium').first().isVisible()).toBe(true);
    expect(await page.locator('main svg, main img').first().isVisible()).toBe(true);
    expect(await page.getByText('Obligatorio').count()).toBe(2);
    expect(await page.getByText('© 2023').isVisible()).toBe(true);
    expect(await screen.signIn.isVisible()).toBe(true);
    for (const field of [screen.username, screen.password]) {
      expect(await field.getAttribute('maxlength')).toBe('32');
      expect(await field.getAttribute('autocomplete')).toBe('off');
    }
    expect(await screen.password.getAttribute('type')).toBe('password');
    expect(complaints).toEqual([]);
  });

  test('asks for a longer username and password, and tries no login until both are right', async ({
    partner,
  }) => {
    const { page, screen } = partner;
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/graphql')) asked += 1;
    });
    await page.goto('/');
    await partner.fillIn('cinco', 'cinco');
    await page.getByText('Debes ingresar un correo valido').waitFor();
    await page.getByText('Debes ingresar una contraseña').waitFor();

    await partner.fillIn('seis66', 'cinco');
    await page.getByText('Debes ingresar un correo valido').waitFor({ state: 'hidden' });
    expect(await page.getByText('Debes ingresar una contraseña').isVisible()).toBe(true);
    await screen.password.fill('seis66');
    await page.getByText('Debes ingresar una contraseña').waitFor({ state: 'hidden' });
    expect(asked).toBe(0);
  });

  test('takes any text as the username, says Credenciales invalidas above the button, stays, and lets the partner try again', async ({
    partner,
  }) => {
    const { page, screen } = partner;
    await page.goto('/');
    await partner.fillIn('sin arroba', 'otra-cosa');
    const message = page.getByText('Credenciales invalidas');
    await message.waitFor();
    const [above, below] = [await message.boundingBox(), await screen.signIn.boundingBox()];
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    expect(new URL(page.url()).pathname).toBe('/');
    expect(await partner.storage()).toEqual({});

    await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
    await page.waitForURL('**/dashboard');
  });

  test('covers the card with a spinner while a login is in progress, and clears it when the server fails', async ({
    partner,
  }) => {
    const { page } = partner;
    const held = new Promise<Route>((resolve) => {
      void page.route('**/graphql', resolve);
    });
    await page.goto('/');
    await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
    const overlay = page.getByText('Iniciando sesión');
    await overlay.waitFor();
    await (await held).abort();
    await overlay.waitFor({ state: 'hidden' });
    await page.getByText('El servidor no responde').waitFor();
  });

  describe('tries once for each press', () => {
    let attempts: number;

    test.beforeEach(async ({ partner }) => {
      attempts = 0;
      const { page, screen } = partner;
      await page.route('**/graphql', async (route) => {
        if (route.request().postData()?.includes('mutation Login')) attempts += 1;
        await route.fulfill({ json: INVALID_CREDENTIALS });
      });
      await page.goto('/', { waitUntil: 'networkidle' });
      await screen.username.fill(ACCOUNT.username);
      await screen.password.fill('otra-cosa');
    });

    test('of Enter, however long it is held', async ({ partner }) => {
      const { page } = partner;
      for (let repeats = 0; repeats < 10; repeats += 1) {
        await page.keyboard.down('Enter');
        await page.getByText('Credenciales invalidas').waitFor();
        await focusIs(page, 'password');
      }
      expect(attempts).toBe(1);
      await page.keyboard.up('Enter');
      await page.keyboard.press('Enter');
      await expect.poll(() => attempts).toBe(2);
    });

    test('of the button, and none for the second click of a double one', async ({ partner }) => {
      const { page, screen } = partner;
      await screen.signIn.click();
      await page.getByText('Credenciales invalidas').waitFor();
      await page.mouse.down({ clickCount: 2 });
      await page.mouse.up({ clickCount: 2 });
      expect(attempts).toBe(1);
      await screen.signIn.click();
      await expect.poll(() => attempts).toBe(2);
    });
  });

  test('says one thing at a time: what the server refused is forgotten at the next attempt, even one that the form stops', async ({
    partner,
  }) => {
    const { page, screen } = partner;
    await page.goto('/');
    await partner.fillIn(ACCOUNT.username, 'otra-cosa');
    await page.getByText('Credenciales invalidas').waitFor();
    await screen.password.fill('');
    expect(await page.getByText('Debes ingresar una contraseña').count()).toBe(0);
    await screen.signIn.click();
    await page.getByText('Debes ingresar una contraseña').waitFor();
    expect(await page.getByText('Credenciales invalidas').count()).toBe(0);
  });

  test('takes what was filled in without a word to the page, as some password managers do', async ({
    partner,
  }) => {
    const { page, screen } = partner;
    await page.goto('/', { waitUntil: 'networkidle' });
    await fillInSilently(screen.username, ACCOUNT.username);
    await screen.password.pressSequentially(ACCOUNT.password);
    await screen.signIn.click();
    await page.waitForURL('**/dashboard');
  });

  test('says without alarm that a wait is over', async ({ partner }) => {
    const { page } = partner;
    await page.route('**/graphql', (route) =>
      route.fulfill({ json: refused('RATE_LIMITED', { retryAfterSeconds: 1 }) }),
    );
    await page.goto('/');
    await partner.fillIn(ACCOUNT.username, 'otra-cosa');
    const told = page.getByRole('alert');
    await told.getByText('Inténtalo de nuevo en 1 segundo.').waitFor();
    const alarm = await told.evaluate((element) => getComputedStyle(element).color);
    await told.getByText('Ya puedes intentarlo de nuevo.').waitFor();
    expect(await told.evaluate((element) => getComputedStyle(element).color)).not.toBe(alarm);
  });

  test('signs in: the record is exact, the session is an HttpOnly cookie, and nothing secret is stored', async ({
    partner,
    site,
  }) => {
    const { page, context } = partner;
    await partner.signIn();
    await page.waitForURL('**/dashboard');
    const { id } = await site.app.prisma.account.findUniqueOrThrow({ where: { username: ACCOUNT.username } });
    expect(await partner.storage()).toEqual({
      account: `{"logged":true,"id":"${id}","company":"Radio Uno"}`,
    });
    const cookie = await sessionCookie(context);
    expect(cookie).toMatchObject({ name: 'session', httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(await page.evaluate(() => document.cookie)).toBe('');
  });
});

describe('the focus when the login screen is opened', () => {
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.id ?? '');

  test('is in the first field at a desk', async ({ partner }) => {
    await partner.page.goto('/');
    await expect.poll(() => focused(partner.page)).toBe('username');
  });

  test('is left alone on a phone, where it would bring the keyboard up', async ({ site }) => {
    const phone = await site.newPartner({ hasTouch: true, isMobile: true });
    await phone.page.goto('/');
    await phone.screen.signIn.waitFor();
    expect(await focused(phone.page)).toBe('');
    await phone.context.close();
  });
});

describe('a session that the server refuses', () => {
  const ENDED = 'Tu sesión terminó. Inicia sesión de nuevo.';

  test('is told above the button, until the next attempt', async ({ partner, site }) => {
    const { page, screen } = partner;
    await partner.signIn();
    await site.app.prisma.session.deleteMany();
    await screen.createToken.click();
    const message = page.getByText(ENDED);
    await message.waitFor();
    const [above, below] = [await message.boundingBox(), await screen.signIn.boundingBox()];
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    await partner.fillIn(ACCOUNT.username, 'otra-cosa');
    await page.getByText('Credenciales invalidas').waitFor();
    expect(await message.count()).toBe(0);
    await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
    await screen.signOut.click();
    await screen.signIn.waitFor();
    expect(await message.count()).toBe(0);
  });

  test('is told too when it ended before the page was opened again', async ({ partner, site }) => {
    await partner.signIn();
    await site.app.prisma.session.deleteMany();
    await partner.page.reload();
    await partner.page.getByText(ENDED).waitFor();
  });

  test('is told neither after signing out nor to whoever opens the tool', async ({ partner }) => {
    const { page, screen } = partner;
    await page.goto('/dashboard');
    await screen.signIn.waitFor();
    expect(await page.getByText(ENDED).count()).toBe(0);
    await partner.signIn();
    const ended = page.waitForResponse((response) => response.url().endsWith('/graphql'));
    await screen.signOut.click();
    await screen.signIn.waitFor();
    await ended;
    expect(await page.getByText(ENDED).count()).toBe(0);
  });
});

describe('a sign-in without a network', () => {
  test('says so, until the network is back', async ({ partner }) => {
    const { page, context } = partner;
    await page.goto('/', { waitUntil: 'networkidle' });
    await context.setOffline(true);
    await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
    const message = page.getByText('No hay conexión a la red. Inténtalo cuando vuelva.');
    await message.waitFor();
    await context.setOffline(false);
    await message.waitFor({ state: 'hidden' });
    await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
    await partner.screen.createToken.waitFor();
  });
});

describe('the routes', () => {
  test('/dashboard without a record goes to /', async ({ partner }) => {
    await partner.page.goto('/dashboard');
    await partner.screen.signIn.waitFor();
    expect(new URL(partner.page.url()).pathname).toBe('/');
  });

  test('a record that cannot be read is signed out, never a crash', async ({ partner }) => {
    await storeAccount(partner.page, '{logged:');
    await partner.page.goto('/dashboard');
    await partner.screen.signIn.waitFor();
    expect(partner.complaints).toEqual([]);
  });

  test('/ goes on to /dashboard when signed in', async ({ partner }) => {
    await partner.signIn();
    await partner.page.goto('/');
    await partner.page.waitForURL('**/dashboard');
    await partner.screen.createToken.waitFor();
  });

  test('a record without a session is signed out as soon as the server says so', async ({ partner }) => {
    await storeAccount(partner.page, '{"logged":true,"id":"x","company":"Inventada"}');
    await partner.page.goto('/dashboard');
    await partner.page.waitForURL((url) => url.pathname === '/');
    await partner.screen.signIn.waitFor();
  });

  test('any other path is a Spanish not-found page with status 404 and a way back', async ({ partner }) => {
    const response = await partner.page.goto('/no/existe');
    expect(response?.status()).toBe(404);
    await partner.page.getByText('Página no encontrada').waitFor();
    await partner.page.getByRole('link', { name: 'Volver al inicio' }).click();
    await partner.screen.signIn.waitFor();
  });
});

describe('signing out', () => {
  test('clears the three keys and no other, goes to /, and ends the session on the server', async ({
    partner,
    site,
  }) => {
    const { page, context } = partner;
    await partner.signIn();
    await partner.createToken();
    await page.evaluate(() => localStorage.setItem('otra', 'se queda'));
    const cookie = await sessionCookie(context);
    const ended = page.waitForResponse((response) => response.url().endsWith('/graphql'));
    await partner.screen.signOut.click();
    await partner.screen.signIn.waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    await ended;
    await expect.poll(partner.storage).toEqual({ otra: 'se queda' });
    const answer = await site.app.graphql(SESSION, { headers: { cookie: `session=${cookie?.value}` } });
    expect(answer.data).toEqual({ session: null });
    await expect.poll(() => sessionCookie(context)).toBeUndefined();
  });

  test('without a network is done here at once, and ends the session on the server when the network is back', async ({
    partner,
    site,
  }) => {
    const { context, screen } = partner;
    await partner.signIn();
    const cookie = await sessionCookie(context);
    await context.setOffline(true);
    await screen.signOut.click();
    await screen.signIn.waitFor();
    await expect.poll(partner.storage).toEqual({ logout_pending: 'true' });
    await context.setOffline(false);
    await expect.poll(partner.storage).toEqual({});
    const answer = await site.app.graphql(SESSION, { headers: { cookie: `session=${cookie?.value}` } });
    expect(answer.data).toEqual({ session: null });
  });

  test('reaches the server though the page is left before it has answered', async ({ partner, site }) => {
    const { page, context, screen } = partner;
    await partner.signIn();
    const cookie = await sessionCookie(context);
    const asked = new Promise<Route>((resolve) => {
      void page.route('**/graphql', resolve, { times: 1 });
    });
    await screen.signOut.click();
    await asked;
    await page.goto('about:blank');
    const headers = { cookie: `session=${cookie?.value}` };
    const session = async () => (await site.app.graphql(SESSION, { headers })).data;
    await expect.poll(session).toEqual({ session: null });
  });

  test('hinders no sign-in right after it, and its late answer does not end that one', async ({
    partner,
    site,
  }) => {
    const { page, context, screen } = partner;
    const proxy = await startTcpProxy(Number(new URL(site.url).port));
    try {
      await partner.signIn(`http://127.0.0.1:${proxy.port}/`);
      proxy.set({ delayMs: 2_500 });
      const asked = page.waitForRequest('**/graphql');
      await screen.signOut.click();
      await asked;
      proxy.set('pass');
      const pressedAt = performance.now();
      await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
      await screen.createToken.waitFor();
      expect(performance.now() - pressedAt).toBeLessThan(1_900);
      await page.waitForTimeout(pressedAt + 3_000 - performance.now());
      expect(await sessionCookie(context)).toBeDefined();
      await partner.createToken();
    } finally {
      proxy.close();
    }
  });

  test('in one tab shows in the other, and so does signing in', async ({ partner }) => {
    await partner.signIn();
    const other = await partner.context.newPage();
    await other.goto('/dashboard');
    await other.getByRole('button', { name: 'Crear Token' }).waitFor();
    await partner.screen.signOut.click();
    await other.getByRole('button', { name: 'iniciar sesión' }).waitFor();
    await partner.screen.signIn.waitFor();
    await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
    await other.getByRole('button', { name: 'Crear Token' }).waitFor();
  });
});

import type { BrowserContext, Locator, Page, Route } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { startTcpProxy } from '../support/tcpProxy.ts';
import { ACCOUNT, LOGIN, SESSION } from '../support/testApp.ts';
import { test } from './partnerTest.ts';

const INVALID_CREDENTIALS = {
  data: null,
  errors: [{ message: 'x', extensions: { code: 'INVALID_CREDENTIALS' } }],
};

const focusIs = (page: Page, id: string) =>
  page.waitForFunction((wanted) => document.activeElement?.id === wanted, id);

/** Sets the value without an event, so that React does not learn of it. */
const fillInSilently = (field: Locator, value: string) =>
  field.evaluate((input, text) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
  }, value);

async function sessionCookie(context: BrowserContext) {
  return (await context.cookies()).find(({ name }) => name === 'session');
}

describe('the login screen', () => {
  test('shows logo, title, both fields, the button and the copyright', async ({ partner, page, screen }) => {
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
    expect(await screen.username.getAttribute('inputmode')).toBe('email');
    expect(await page.locator('input').evaluateAll((inputs) => inputs.map(({ id }) => id))).toEqual([
      'username',
      'password',
    ]);
    expect(partner.complaints).toEqual([]);
  });

  test('asks for longer texts, and sends nothing until both fields are long enough', async ({
    partner,
    page,
    screen,
  }) => {
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

  test('says Credenciales invalidas above the button after a wrong password, and stays open', async ({
    partner,
    page,
    screen,
  }) => {
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

  test('is covered by an overlay during a sign-in, and uncovered if the sign-in fails', async ({
    partner,
    page,
  }) => {
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

  describe('tries to sign in once', () => {
    let attempts: number;

    test.beforeEach(async ({ page, screen }) => {
      attempts = 0;
      await page.route('**/graphql', async (route) => {
        if (route.request().postData()?.includes('mutation Login')) attempts += 1;
        await route.fulfill({ json: INVALID_CREDENTIALS });
      });
      await page.goto('/');
      await screen.username.fill(ACCOUNT.username);
      await screen.password.fill('otra-cosa');
    });

    test('for each press of Enter, however long it is held', async ({ page }) => {
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

    test('for a press of Enter right after one that failed on an invalid field', async ({ page, screen }) => {
      await screen.password.fill('corta');
      await page.keyboard.press('Enter');
      await screen.password.fill('otra-cosa');
      await page.keyboard.press('Enter');
      await page.getByText('Credenciales invalidas').waitFor();
      expect(attempts).toBe(1);
    });

    test('for each press of the button, and ignores the second click of a double click', async ({
      page,
      screen,
    }) => {
      await screen.signIn.click();
      await page.getByText('Credenciales invalidas').waitFor();
      await page.mouse.down({ clickCount: 2 });
      await page.mouse.up({ clickCount: 2 });
      expect(attempts).toBe(1);
      await screen.signIn.click();
      await expect.poll(() => attempts).toBe(2);
    });
  });

  test('shows and hides the password without moving caret or focus, and hides it when signing in', async ({
    page,
    screen,
  }) => {
    const show = page.getByRole('button', { name: 'Mostrar contraseña' });
    const hide = page.getByRole('button', { name: 'Ocultar contraseña' });
    const type = () => screen.password.getAttribute('type');
    await page.route('**/graphql', (route) => route.fulfill({ json: INVALID_CREDENTIALS }));
    await page.goto('/');
    await screen.username.fill(ACCOUNT.username);
    await screen.password.fill('otra-cosa');
    await screen.password.press('ArrowLeft');
    await show.click();
    expect(await type()).toBe('text');
    await page.keyboard.type('X');
    expect(await screen.password.inputValue()).toBe('otra-cosXa');
    await hide.click();
    expect(await type()).toBe('password');
    await page.keyboard.type('Y');
    expect(await screen.password.inputValue()).toBe('otra-cosXYa');

    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await type()).toBe('text');
    expect(await hide.evaluate((button) => button === document.activeElement)).toBe(true);
    await screen.password.press('Enter');
    expect(await type()).toBe('password');
    await page.getByText('Credenciales invalidas').waitFor();
  });

  test('signs in with what a password manager filled in without an event', async ({ page, screen }) => {
    await page.goto('/');
    await fillInSilently(screen.username, ACCOUNT.username);
    await screen.password.pressSequentially(ACCOUNT.password);
    await screen.signIn.click();
    await page.waitForURL('**/dashboard');
  });

  test('stores exactly the account record of the contract, and keeps the session in a cookie', async ({
    site,
    partner,
    page,
  }) => {
    await partner.signIn();
    await page.waitForURL('**/dashboard');
    const { id } = await site.app.prisma.account.findUniqueOrThrow({ where: { username: ACCOUNT.username } });
    expect(await partner.storage()).toEqual({
      account: `{"logged":true,"id":"${id}","company":"Radio Uno"}`,
    });
    const cookie = await sessionCookie(partner.context);
    expect(cookie).toMatchObject({ name: 'session', httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(await page.evaluate(() => document.cookie)).toBe('');
  });
});

test('on a phone the login screen focuses no field, which would open the keyboard', async ({ site }) => {
  const phone = await site.newPartner({ hasTouch: true, isMobile: true });
  await phone.page.goto('/');
  await phone.screen.signIn.waitFor();
  expect(await phone.page.evaluate(() => document.activeElement?.id)).toBe('');
  await phone.context.close();
});

test('a page signs out and says why when another account has signed in in its browser', async ({
  site,
  partner,
  page,
  screen,
}) => {
  const other = { ...ACCOUNT, username: 'radio@dos.example', company: 'Radio Dos' };
  const { id: accountId } = await site.app.addAccount(other);
  await partner.signIn();
  const { username, password } = other;
  const login = { query: LOGIN, variables: { username, password } };
  await partner.context.request.post('/graphql', { data: login });
  await screen.createToken.click();
  await page.getByText('En este navegador inició sesión otra cuenta.').waitFor();
  expect(await partner.storage()).toEqual({});
  expect(await site.app.prisma.tokenRecord.count({ where: { accountId } })).toBe(0);
});

describe('a session that the server refuses', () => {
  const ENDED = 'Tu sesión terminó. Inicia sesión de nuevo.';
  /** Waits until the server recognised the session; refused before, it would mean that the browser kept no cookie. */
  const recognised = (page: Page) =>
    page.waitForResponse((response) => Boolean(response.request().postData()?.includes('query Dashboard')));

  test('is reported above the button, until the next attempt to sign in', async ({
    site,
    partner,
    page,
    screen,
  }) => {
    const answered = recognised(page);
    await partner.signIn();
    await answered;
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

  test('is also reported when it ended before the page was loaded again', async ({ site, partner, page }) => {
    const answered = recognised(page);
    await partner.signIn();
    await answered;
    await site.app.prisma.session.deleteMany();
    await page.reload();
    await page.getByText(ENDED).waitFor();
  });

  test('is reported neither after signing out nor at the first visit', async ({ partner, page, screen }) => {
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

test('a partner who signs in without a network sees why it failed, until the network is back', async ({
  partner,
  page,
}) => {
  await page.goto('/', { waitUntil: 'networkidle' });
  await partner.context.setOffline(true);
  await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
  const message = page.getByText('No hay conexión a la red. Inténtalo cuando vuelva.');
  await message.waitFor();
  await partner.context.setOffline(false);
  await message.waitFor({ state: 'hidden' });
  await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
  await partner.screen.createToken.waitFor();
});

test('an unknown path is answered with status 404 and a page that links back', async ({ partner }) => {
  const response = await partner.page.goto('/no/existe');
  expect(response?.status()).toBe(404);
  await partner.page.getByText('Página no encontrada').waitFor();
  expect(await partner.page.title()).toBe('Página no encontrada · Audio Oficial Premium');
  await partner.page.getByRole('link', { name: 'Volver al inicio' }).click();
  await partner.screen.signIn.waitFor();
});

describe('signing out', () => {
  test('deletes the three keys of the contract and no other, and ends the session', async ({
    site,
    partner,
    page,
  }) => {
    await partner.signIn();
    await partner.createToken();
    await page.evaluate(() => localStorage.setItem('otra', 'se queda'));
    const cookie = await sessionCookie(partner.context);
    const ended = page.waitForResponse((response) => response.url().endsWith('/graphql'));
    await partner.screen.signOut.click();
    await partner.screen.signIn.waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    await ended;
    await expect.poll(partner.storage).toEqual({ otra: 'se queda' });
    const answer = await site.app.graphql(SESSION, { headers: { cookie: `session=${cookie?.value}` } });
    expect(answer.data).toEqual({ session: null });
  });

  test('without a network ends the session once the network is back', async ({ site, partner, screen }) => {
    await partner.signIn();
    const cookie = await sessionCookie(partner.context);
    await partner.context.setOffline(true);
    await screen.signOut.click();
    await screen.signIn.waitFor();
    await expect.poll(partner.storage).toMatchObject({ logout_pending: expect.any(String) });
    await partner.context.setOffline(false);
    await expect.poll(partner.storage).toEqual({});
    const answer = await site.app.graphql(SESSION, { headers: { cookie: `session=${cookie?.value}` } });
    expect(answer.data).toEqual({ session: null });
  });

  test('ends the session although the partner leaves the page at once', async ({
    site,
    partner,
    page,
    screen,
  }) => {
    await partner.signIn();
    const cookie = await sessionCookie(partner.context);
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

  test('does not hinder a sign-in right afterwards, and its late answer does not end the new session', async ({
    site,
    partner,
    page,
    screen,
  }) => {
    const proxy = await startTcpProxy(Number(new URL(site.url).port));
    onTestFinished(() => proxy.close());
    await partner.signIn(`http://127.0.0.1:${proxy.port}/`);
    const logoutHeld = proxy.hold('mutation Logout');
    await screen.signOut.click();
    const letGo = await logoutHeld;
    await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
    await screen.createToken.waitFor();
    const cookie = await sessionCookie(partner.context);
    site.app.logLines.length = 0;
    letGo();
    await expect.poll(() => site.app.logLines.join('')).toContain('"fields":["logout"]');
    await page.reload();
    await partner.createToken();
    expect(await sessionCookie(partner.context)).toEqual(cookie);
  });

  test('in one tab also signs the other tab out, and signing in signs both in', async ({ partner }) => {
    await partner.signIn();
    const other = await partner.context.newPage();
    await other.goto('/dashboard');
    await other.getByRole('button', { name: 'Crear Token' }).waitFor();
    await partner.screen.signOut.click();
    await other.getByText('La sesión se cerró en otra pestaña.').waitFor();
    await partner.screen.signIn.waitFor();
    expect(await partner.page.getByRole('alert').textContent()).toBe('');
    await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
    await other.getByRole('button', { name: 'Crear Token' }).waitFor();
  });
});

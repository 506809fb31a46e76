import { describe, expect } from 'vitest';
import { test } from '../support/partnerTest.ts';
import { ACCOUNT, SESSION } from '../support/testApp.ts';

const INVALID_CREDENTIALS = {
  data: null,
  errors: [{ message: 'x', extensions: { code: 'INVALID_CREDENTIALS' } }],
};

describe('the login screen', () => {
  test('tries once for each press however long or often', async ({ page, screen }) => {
    let attempts = 0;
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('mutation Login')) attempts += 1;
      await route.fulfill({ json: INVALID_CREDENTIALS });
    });
    const refused = () =>
      page.waitForFunction(
        () => document.activeElement?.id === 'password' && document.querySelector('.message span'),
      );
    await page.goto('/');
    await screen.username.fill(ACCOUNT.username);
    await screen.password.fill('otra-cosa');
    for (let repeats = 0; repeats < 5; repeats += 1) {
      await page.keyboard.down('Enter');
      await refused();
    }
    await page.keyboard.up('Enter');
    expect(attempts).toBe(1);
    await screen.signIn.click();
    await expect.poll(() => attempts).toBe(2);
    await refused();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await screen.signIn.click();
    await expect.poll(() => attempts).toBe(3);
  });

  test('shows or hides the password with the caret kept, and hides it for signing in', async ({
    partner,
    page,
    screen,
  }) => {
    const type = () => screen.password.getAttribute('type');
    await page.route('**/graphql', (route) => route.fulfill({ json: INVALID_CREDENTIALS }));
    await page.goto('/');
    await screen.username.fill(ACCOUNT.username);
    await screen.password.fill('otr');
    await screen.password.press('ArrowLeft');
    for (const [name, before, after] of [
      ['Mostrar contraseña', 'password', 'text'],
      ['Ocultar contraseña', 'text', 'password'],
      ['Mostrar contraseña', 'password', 'text'],
    ] as const) {
      expect(await type()).toBe(before);
      await page.getByRole('button', { name }).click();
      expect(await type()).toBe(after);
      await page.keyboard.type('X');
    }
    expect(await screen.password.inputValue()).toBe('otXXXr');
    await screen.password.fill('otr');
    await screen.password.press('ArrowLeft');
    await screen.signIn.click();
    await partner.sees('Debes ingresar una contraseña');
    await page.keyboard.type('X');
    expect(await screen.password.inputValue()).toBe('otXr');
    await page.getByRole('button', { name: 'Mostrar contraseña' }).click();
    await screen.password.fill('otra-cosa');
    await screen.password.press('Enter');
    expect(await type()).toBe('password');
    await partner.sees('Credenciales invalidas');
  });

  test('says what a pasted text lost before it sends the rest', async ({ partner, page, screen }) => {
    await partner.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    let attempts = 0;
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('mutation Login')) attempts += 1;
      await route.fulfill({ json: INVALID_CREDENTIALS });
    });
    const paste = async (field: typeof screen.username, text: string) => {
      await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
      await field.focus();
      await page.keyboard.press('ControlOrMeta+V');
    };
    await page.goto('/');
    await paste(screen.username, 'emisora.internacional.de.noticias@radio.example');
    await partner.sees('Solo caben 32 caracteres: sobra «s@radio.example».');
    await paste(screen.password, `${'a'.repeat(32)}secreto8`);
    await partner.sees('Solo caben 32 caracteres: sobran 8.');
    expect(await screen.password.evaluate((field) => field.matches('[aria-invalid=true]'))).toBe(true);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.id === 'username');
    expect(attempts).toBe(0);

    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(ACCOUNT.username);
    await screen.password.fill(ACCOUNT.password);
    expect(await page.getByText('Solo caben').count()).toBe(0);
    await screen.signIn.click();
    await expect.poll(() => attempts).toBe(1);
  });

  test('says what a value that a script set has too much', async ({ partner, page, screen }) => {
    await page.goto('/');
    await screen.username.fill(ACCOUNT.username);
    await screen.password.evaluate((field) => Object.assign(field, { value: 'a'.repeat(33) }));
    await screen.signIn.click();
    await partner.sees('Solo caben 32 caracteres: sobra 1.');
    await screen.password.fill(ACCOUNT.password);
    await screen.signIn.click();
    await screen.createToken.waitFor();
  });

  test('focuses no field on a phone', async ({ site }) => {
    const phone = await site.newPartner({ hasTouch: true, isMobile: true });
    await phone.page.goto('/');
    await phone.screen.signIn.waitFor();
    expect(await phone.page.evaluate(() => document.activeElement?.id)).toBe('');
    await phone.close();
  });
});

test('after a wrong password a partner signs in by typing over it', async ({ site, partner, page }) => {
  await page.goto('/');
  await partner.fillIn(ACCOUNT.username, 'otra-cosa');
  await partner.sees('Credenciales invalidas');
  expect(await partner.storage()).toEqual({});
  await page.waitForFunction(() => document.activeElement?.id === 'password');
  await page.keyboard.type(ACCOUNT.password);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/dashboard');
  const { id } = await site.app.prisma.account.findUniqueOrThrow({ where: { username: ACCOUNT.username } });
  expect(await partner.storage()).toEqual({
    account: `{"logged":true,"id":"${id}","company":"Radio Uno"}`,
  });
});

test('signing out ends the session on the server', async ({ site, partner, page, screen }) => {
  const icon = () => page.locator('link[rel=icon]').getAttribute('href');
  await partner.signIn(0);
  await partner.play();
  await expect.poll(icon).toMatch(/^data:image\/svg/);
  const cookie = (await partner.context.cookies()).find(({ name }) => name === 'audio_session');
  await screen.signOut.click();
  await screen.signIn.waitFor();
  await expect.poll(() => page.title()).toBe('Audio Oficial Premium');
  await expect.poll(icon).toMatch(/\/assets\/logo-.*\.svg$/);
  expect(new URL(page.url()).pathname).toBe('/');
  const kept = { sound_in: expect.any(String), token_seal: expect.any(String) };
  await expect.poll(partner.storage).toEqual(kept);
  const answer = await site.app.graphql(SESSION, { headers: { cookie: `audio_session=${cookie?.value}` } });
  expect(answer.data).toEqual({ session: null });
  expect(await page.getByRole('alert').textContent()).toBe('');
});

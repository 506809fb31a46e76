import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { STUDIO_HOST } from '../support/partnerSite.ts';
import { ACCOUNT } from '../support/testApp.ts';
import { held } from './held.ts';
import { test } from './partnerTest.ts';

const MINUTE_MS = 60_000;
const EXPIRED = 'Token expirado, Debes crear uno nuevo Token';

test('a partner without a token sees company and notes, and cannot play', async ({
  partner,
  page,
  screen,
}) => {
  await partner.signIn();
  for (const text of [
    'Radio Uno',
    'Un token dura 20 minutos.',
    'Un token en reproducción no tiene caducidad.',
    'Los tokens son exclusivos por canal de comunicación.',
    'v1.1',
  ]) {
    expect(await page.getByText(text, { exact: true }).isVisible()).toBe(true);
  }
  expect(await screen.token.inputValue()).toBe('Debes generar un Token');
  expect(await screen.playerStatus.textContent()).toBe('Debes generar un Token');
  expect(await screen.countdown.textContent()).toBe('00:00');
  expect(await screen.play.isDisabled()).toBe(true);
  expect(await screen.copy.isDisabled()).toBe(true);
  expect(partner.complaints).toEqual([]);
});

test('a partner creates a token, hears it, copies its URL, pauses and plays again', async ({
  site,
  partner,
  page,
  screen,
}) => {
  await partner.signIn();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + MINUTE_MS);
  const token = await partner.createToken();
  expect(await screen.countdown.textContent()).toBe('19 : 59');
  expect(await screen.playerStatus.textContent()).toBe('Audio en pausa');
  const now = await page.evaluate(() => Date.now());
  expect(await partner.storage()).toMatchObject({ token, token_expire: String(now + 20 * MINUTE_MS) });
  await page.clock.runFor(1_000);
  expect(await screen.countdown.textContent()).toBe('19 : 58');
  await page.clock.resume();
  const short = page.locator('.url__short');
  expect(await short.textContent()).toBe(`${site.streamBaseUrl}…${token.slice(-5)}`);
  await page.getByRole('textbox', { name: 'URL de la emisión' }).click();
  expect(await short.isVisible()).toBe(false);
  expect(await page.evaluate(() => getSelection()?.toString())).toBe(site.streamBaseUrl + token);

  await partner.play();
  await partner.soundAdvances();
  await partner.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await screen.copy.click();
  await partner.sees('Copiada · conéctate antes de las');
  expect(await partner.clipboard()).toBe(site.streamBaseUrl + token);

  await screen.pause.click();
  await partner.status('Audio en pausa');
  expect(await hasSource(page)).toBe(false);
  await partner.play();
  await partner.soundAdvances();
  expect(partner.complaints).toEqual([]);
});

test('over plain http, without the clipboard API, the URL is copied all the same', async ({
  site,
  partner,
  page,
  screen,
}) => {
  const studio = new URL(site.url);
  studio.hostname = STUDIO_HOST;
  await partner.signIn(studio.href);
  expect(await page.evaluate(() => 'clipboard' in navigator)).toBe(false);
  const token = await partner.createToken();
  await partner.play();
  await partner.soundAdvances();
  await screen.copy.click();
  await partner.sees('Copiada · conéctate antes de las');
  expect(partner.complaints).toEqual([]);
  await page.goto(site.url);
  expect(await partner.clipboard()).toBe(site.streamBaseUrl + token);
});

test('a URL that the browser refuses to copy is selected, until there is another token', async ({
  site,
  partner,
  page,
  screen,
}) => {
  const selected = () => page.evaluate(() => getSelection()?.toString());
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
  });
  await partner.signIn();
  const url = site.streamBaseUrl + (await partner.createToken());
  await screen.copy.click();
  await partner.sees('Copiada · conéctate antes de las');
  expect(await partner.clipboard()).toBe(url);
  await page.evaluate(() => {
    document.execCommand = () => false;
  });
  await screen.copy.click();
  await partner.sees('No se pudo copiar la URL');
  expect(await selected()).toBe(url);
  await partner.createToken();
  await page.getByText('No se pudo copiar la URL').waitFor({ state: 'detached' });
});

test('a held key or a double click creates one token and selects no text', async ({
  partner,
  page,
  screen,
}) => {
  let asked = 0;
  page.on('request', (request) => {
    if (request.postData()?.includes('mutation CreateToken')) asked += 1;
  });
  await partner.signIn();
  await screen.createToken.focus();
  for (let repeats = 0; repeats < 5; repeats += 1) {
    await page.keyboard.down('Enter');
    await page.getByText('Creando Token').waitFor({ state: 'hidden' });
  }
  await page.keyboard.up('Enter');
  await expect.poll(() => screen.copy.isEnabled()).toBe(true);
  expect(asked).toBe(1);

  const answer = await held(page, '**/graphql');
  await screen.createToken.dblclick();
  await partner.sees('Creando Token…');
  expect(await page.evaluate(() => getSelection()?.toString())).toBe('');
  answer();
  await page.getByText('Creando Token').waitFor({ state: 'hidden' });
  expect(asked).toBe(2);
});

test('while sound plays the dashboard says that a new token pauses it', async ({ partner, page, screen }) => {
  const cost = page.getByText('Crear otro Token pausa el audio.');
  await partner.signIn();
  await page.clock.install({ time: new Date(2026, 10, 21, 19, 3, 12) });
  await page.clock.pauseAt(new Date(2026, 10, 21, 19, 3, 20));
  await partner.createToken();
  await partner.sees(/^Token creado a las 19:03$/);
  await partner.sees(/^Conéctate antes de las 19:23$/);
  expect(await cost.count()).toBe(0);
  await partner.play();
  expect(await cost.getAttribute('id')).toBe(await screen.createToken.getAttribute('aria-describedby'));
  await partner.createToken();
  expect(await cost.count()).toBe(0);
});

test('a creation that the provider fails keeps the old token, and can be repeated', async ({
  site,
  partner,
  page,
  screen,
}) => {
  const warned = page.waitForEvent('console', (message) => message.text() === 'Something went wrong');
  await partner.signIn();
  const token = await partner.createToken();
  await site.providerDown();
  try {
    await screen.createToken.click();
    await partner.sees('El proveedor de audio no responde');
    expect((await warned).type()).toBe('warning');
    await page.getByText('Creando Token').waitFor({ state: 'hidden' });
    expect(await screen.token.inputValue()).toBe(token);
  } finally {
    await site.providerUp();
  }
  expect(await partner.createToken()).not.toBe(token);
  await page.getByText('El proveedor de audio no responde').waitFor({ state: 'hidden' });
});

test('a token expires after 20 minutes, and another one can be created', async ({
  partner,
  page,
  screen,
}) => {
  await partner.signIn();
  await page.clock.install();
  await partner.createToken();
  await screen.copy.focus();
  await page.clock.fastForward(20 * MINUTE_MS);
  await expect.poll(() => screen.token.inputValue()).toBe(EXPIRED);
  expect(await screen.token.getAttribute('aria-invalid')).toBe('true');
  expect(await screen.countdown.textContent()).toBe('00:00');
  expect(await screen.playerStatus.textContent()).toBe('Debes generar un Token');
  expect(await screen.play.isDisabled()).toBe(true);
  expect(await screen.copy.isDisabled()).toBe(true);
  expect((await partner.storage()).token_expire).toBe('0');
  expect(await screen.tokenHeading.evaluate((heading) => heading === document.activeElement)).toBe(true);
  await partner.createToken();
  expect(await screen.countdown.textContent()).toMatch(/^1\d : \d\d$/);
  expect(await screen.play.isEnabled()).toBe(true);
});

test('a token shows in every tab, and again after a reload', async ({ partner, page, screen }) => {
  await partner.signIn();
  const other = await partner.context.newPage();
  await other.goto('/dashboard');
  const box = other.getByRole('textbox', { name: 'Token' });
  await box.waitFor();
  const token = await partner.createToken();
  await expect.poll(() => box.inputValue()).toBe(token);
  await page.reload();
  await screen.token.waitFor();
  expect(await screen.token.inputValue()).toBe(token);
  expect(await screen.countdown.textContent()).toMatch(/^1\d : \d\d$/);
});

test('signing in to another account in another tab stops the sound', async ({ partner, page }) => {
  await partner.signIn();
  await partner.createToken();
  await partner.play();
  const other = await partner.context.newPage();
  await other.route('**/assets/*.js', (route) => route.abort());
  await other.goto('/');
  // Otherwise the server refuses the made-up account, and the page signs out.
  await page.route('**/graphql', () => undefined);
  await other.evaluate(() =>
    localStorage.setItem('account', '{"logged":true,"id":"otra","company":"Radio Otra"}'),
  );
  await page.getByRole('heading', { name: 'Radio Otra' }).waitFor();
  await partner.status('Audio en pausa');
  expect(await hasSource(page)).toBe(false);
});

test('a renamed company shows its new name at the next load, and a waiting play goes on', async ({
  site,
  partner,
  page,
  screen,
}) => {
  await partner.signIn();
  await partner.createToken();
  const { account: before = '' } = await partner.storage();
  const rename = (company: string) =>
    site.app.prisma.account.update({ where: { username: ACCOUNT.username }, data: { company } });
  await rename('Radio Uno FM');
  onTestFinished(async () => void (await rename(ACCOUNT.company)));
  const answer = await held(page, '**/graphql');
  await page.reload();
  await screen.play.click();
  await partner.status('Conectando…');
  answer();
  const heading = page.getByRole('heading', { name: 'Radio Uno FM' });
  await heading.waitFor();
  expect(await heading.getAttribute('title')).toBe('Radio Uno FM');
  await partner.status('Audio en reproducción');
  expect((await partner.storage()).account).toBe(before.replace('Radio Uno', 'Radio Uno FM'));
});

test('the whole job works in a browser that denies pages their storage', async ({ partner, page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('The operation is insecure.', 'SecurityError');
      },
    });
  });
  await partner.wholeJob();
  await partner.screen.signOut.click();
  await partner.screen.signIn.waitFor();
  expect(partner.complaints).toEqual([]);
});

/** Whether the audio element has an address, and so may hold a connection. */
function hasSource(page: Page): Promise<boolean | undefined> {
  return page.evaluate(() => document.querySelector('audio')?.hasAttribute('src'));
}

import type { Locator } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { STUDIO_HOST } from '../support/partnerSite.ts';
import { ACCOUNT } from '../support/testApp.ts';
import { held } from './held.ts';
import { test as base } from './partnerTest.ts';

const MINUTE_MS = 60_000;
const SUPPORT_CONTACT = 'Soporte <b>24 h</b>: soporte@radio.example o +34 600 123 456';

const test = base.extend('siteOptions', { scope: 'file' }, () => ({
  pageConfig: { firebaseConfig: null, supportContact: SUPPORT_CONTACT, streamCors: false },
}));

describe('the dashboard', () => {
  test('shows the company, the notes and the version, and cannot play without a token', async ({
    partner,
    page,
    screen,
  }) => {
    await partner.signIn();
    expect(await page.getByText('Radio Uno').isVisible()).toBe(true);
    for (const text of [
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

  test('counts a token down from 19 : 59, plays its sound and copies its URL', async ({
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
    const { token: stored, token_expire: expire } = await partner.storage();
    expect(stored).toBe(token);
    const now = await page.evaluate(() => Date.now());
    expect(expire).toMatch(/^\d+$/);
    expect(Number(expire)).toBe(now + 20 * MINUTE_MS);
    await page.clock.runFor(1_000);
    expect(await screen.countdown.textContent()).toBe('19 : 58');
    await page.clock.resume();

    await partner.play();
    await partner.soundAdvances();

    await partner.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const address = page.getByRole('textbox', { name: 'URL de la emisión' });
    expect(await address.inputValue()).toBe(site.streamBaseUrl + token);
    await screen.copy.click();
    await page.getByText('Copiada · conéctate antes de las').waitFor();
    expect(await partner.clipboard()).toBe(site.streamBaseUrl + token);

    await screen.pause.click();
    await page.getByText('Audio en pausa').waitFor();
    expect(await page.evaluate(() => document.querySelector('audio')?.hasAttribute('src'))).toBe(false);
    await partner.play();
    await partner.soundAdvances();
    expect(partner.complaints).toEqual([]);
  });

  test('also copies the URL over plain http, where there is no clipboard API', async ({
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
    await page.getByText('Copiada · conéctate antes de las').waitFor();
    expect(partner.complaints).toEqual([]);
    await page.goto(site.url);
    expect(await partner.clipboard()).toBe(site.streamBaseUrl + token);
  });

  test('copies the URL in another way if the clipboard API refuses, or else selects the URL', async ({
    site,
    partner,
    page,
    screen,
  }) => {
    await page.addInitScript(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
    });
    await partner.signIn();
    const token = await partner.createToken();
    await screen.copy.click();
    await partner.sees('Copiada · conéctate antes de las');
    expect(await partner.clipboard()).toBe(site.streamBaseUrl + token);
    await page.evaluate(() => {
      document.execCommand = () => false;
    });
    await screen.copy.click();
    await page.getByText('No se pudo copiar la URL').waitFor();
    const address = page.getByRole('textbox', { name: 'URL de la emisión' });
    expect(await address.inputValue()).toBe(site.streamBaseUrl + token);
    const selected = () => page.evaluate(() => getSelection()?.toString());
    expect(await selected()).toBe(site.streamBaseUrl + token);
    await screen.copy.click();
    await expect.poll(selected).toBe(site.streamBaseUrl + token);
    await partner.createToken();
    await page.getByText('No se pudo copiar la URL').waitFor({ state: 'detached' });
  });
});

test('one press creates one token, even if the key is held or the click is a double click', async ({
  partner,
  page,
  screen,
}) => {
  let asked = 0;
  await partner.signIn();
  page.on('request', (request) => {
    if (request.postData()?.includes('mutation CreateToken')) asked += 1;
  });
  const overlay = page.getByText('Creando Token');
  await screen.createToken.focus();
  for (let repeats = 0; repeats < 10; repeats += 1) {
    await page.keyboard.down('Enter');
    await overlay.waitFor({ state: 'hidden' });
  }
  await page.keyboard.up('Enter');
  await expect.poll(() => screen.countdown.textContent()).toMatch(/^1\d : \d\d$/);
  expect(asked).toBe(1);

  await screen.createToken.click();
  await overlay.waitFor({ state: 'hidden' });
  await expect.poll(() => asked).toBe(2);
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await overlay.waitFor({ state: 'hidden' });
  await screen.createToken.click();
  await expect.poll(() => asked).toBe(3);
});

test('a double click on Crear Token selects no text, whether the token comes at once or later', async ({
  partner,
  page,
  screen,
}) => {
  const selected = () => page.evaluate(() => getSelection()?.toString());
  await partner.signIn();
  await screen.createToken.dblclick();
  await expect.poll(() => screen.copy.isEnabled()).toBe(true);
  expect(await selected()).toBe('');
  const answer = await held(page, '**/graphql');
  await screen.createToken.dblclick();
  await partner.sees('Creando Token…');
  expect(await selected()).toBe('');
  answer();
});

test('the dashboard says when a new token would pause the audio, when each was created, or why the creation failed', async ({
  site,
  partner,
  page,
  screen,
}) => {
  const cost = page.getByText('Crear otro Token pausa el audio.');
  const told = page.getByText(/^Token creado a las \d\d:\d\d$/);
  const failed = page.getByText('El proveedor de audio no responde');
  /** Returns the frame around the message that fades, so that the same words are noticed. */
  const fades = (message: Locator) =>
    message.evaluate(
      (element) =>
        element
          .getAnimations()
          .filter((each) => each instanceof CSSAnimation && each.animationName === 'news').length,
    );
  await partner.signIn();
  await page.clock.install({ time: new Date(2026, 10, 21, 19, 3, 12) });
  await page.clock.pauseAt(new Date(2026, 10, 21, 19, 3, 20));
  expect(await cost.count()).toBe(0);
  await partner.createToken();
  expect(await told.textContent()).toBe('Token creado a las 19:03');
  expect(await page.getByText('Conéctate antes de las 19:23', { exact: true }).isVisible()).toBe(true);
  const first = await told.elementHandle();
  await partner.play();
  expect(await cost.isVisible()).toBe(true);
  expect(await describedBy(screen.createToken)).toBe('Crear otro Token pausa el audio.');
  for (let press = 0; press < 2; press += 1) await partner.createToken();
  expect(await told.textContent()).toBe('Token creado a las 19:03');
  expect(await first?.evaluate((element) => element.isConnected)).toBe(false);
  expect(await fades(told)).toBe(1);
  expect(await cost.count()).toBe(0);

  await site.providerDown();
  try {
    await screen.createToken.click();
    const once = await failed.elementHandle();
    expect(await told.count()).toBe(0);
    await screen.createToken.click();
    await expect.poll(() => once?.evaluate((element) => element.isConnected)).toBe(false);
    await failed.waitFor();
    expect(await fades(failed)).toBe(1);
  } finally {
    await site.providerUp();
  }
});

test('the countdown is as wide at 00:00 as at 19 : 58, and the pitch’s halfway line meets its touchlines', async ({
  partner,
  page,
  screen,
}) => {
  const figures = () =>
    screen.countdown.evaluate((time) => {
      const range = document.createRange();
      range.selectNodeContents(time);
      return range.getBoundingClientRect().width;
    });
  /** Returns the distances of the halfway line's ends from the inner edges of the touchlines, in pixels. */
  const gaps = () =>
    page.locator('.pitch').evaluate((pitch) => {
      const px = (text: string) => Number.parseFloat(text);
      const field = getComputedStyle(pitch, '::before');
      const line = getComputedStyle(pitch.querySelector('.pitch__centre') as Element, '::before');
      const padding = px(getComputedStyle(pitch).paddingLeft);
      const touchline = px(field.left) + px(field.borderLeftWidth);
      return [px(line.left), px(line.right)].map((inset) => Math.abs(padding + inset - touchline));
    });
  await partner.signIn();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + MINUTE_MS);
  const widthOfNone = await figures();
  await partner.createToken();
  await page.clock.runFor(1_000);
  expect(await screen.countdown.textContent()).toBe('19 : 58');
  expect(await figures()).toBeCloseTo(widthOfNone, 1);
  for (const [width, height] of [
    [320, 568],
    [390, 844],
    [768, 1024],
    [800, 600],
    [1024, 640],
    [1280, 800],
    [1920, 1080],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const gap of await gaps()) expect.soft(gap, `${width} × ${height}`).toBeLessThan(0.1);
  }
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
  expect(await page.evaluate(() => document.querySelector('audio')?.hasAttribute('src'))).toBe(false);
});

test('a renamed company shows its new name at the next load, without cancelling a play that waits', async ({
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
  await page.getByRole('heading', { name: 'Radio Uno FM' }).waitFor();
  await partner.status('Audio en reproducción');
  expect((await partner.storage()).account).toBe(before.replace('Radio Uno', 'Radio Uno FM'));
});

test('a token expires after 20 minutes: the panel says so, and the countdown reads 00:00', async ({
  partner,
  page,
  screen,
}) => {
  await partner.signIn();
  await page.clock.install();
  await partner.createToken();
  await screen.copy.focus();
  await page.clock.fastForward(15 * MINUTE_MS);
  await expect.poll(() => screen.countdown.textContent()).toMatch(/^0\d : \d\d$/);
  expect(await screen.token.getAttribute('aria-invalid')).not.toBe('true');
  await page.clock.fastForward(5 * MINUTE_MS);
  await expect.poll(() => screen.token.inputValue()).toBe('Token expirado, Debes crear uno nuevo Token');
  expect(await screen.token.getAttribute('aria-invalid')).toBe('true');
  expect(await screen.countdown.textContent()).toBe('00:00');
  expect(await screen.playerStatus.textContent()).toBe('Debes generar un Token');
  expect(await screen.play.isDisabled()).toBe(true);
  expect(await screen.copy.isDisabled()).toBe(true);
  expect(await screen.tokenHeading.evaluate((heading) => heading === document.activeElement)).toBe(true);
  for (const key of ['Space', 'Enter']) await page.keyboard.press(key);
  expect(await screen.createToken.isEnabled()).toBe(true);
  expect(await screen.token.inputValue()).toBe('Token expirado, Debes crear uno nuevo Token');
  expect((await partner.storage()).token_expire).toBe('0');

  await partner.createToken();
  expect(await screen.countdown.textContent()).toMatch(/^1\d : \d\d$/);
  expect(await screen.play.isEnabled()).toBe(true);
});

describe('a token', () => {
  test('is restored with its countdown when the page is reloaded', async ({ partner, page, screen }) => {
    await partner.signIn();
    const token = await partner.createToken();
    await page.reload();
    await screen.token.waitFor();
    expect(await screen.token.inputValue()).toBe(token);
    expect(await screen.countdown.textContent()).toMatch(/^1\d : \d\d$/);
    await partner.play();
  });

  test('that was created in one tab shows in the other', async ({ partner }) => {
    await partner.signIn();
    const other = await partner.context.newPage();
    await other.goto('/dashboard');
    const box = other.getByRole('textbox', { name: 'Token' });
    await box.waitFor();
    const token = await partner.createToken();
    await expect.poll(() => box.inputValue()).toBe(token);
    expect(await other.getByRole('timer').textContent()).toMatch(/^1\d : \d\d$/);
  });
});

test('while the computer’s clock is wrong the token is hidden and the sound plays on; once corrected, the token shows again', async ({
  partner,
  page,
  screen,
}) => {
  const setClock = (byMs: number) =>
    page.evaluate((ms) => {
      const read = Date.now;
      Date.now = () => read() + ms;
    }, byMs);
  const HOUR_MS = 60 * MINUTE_MS;
  await partner.signIn();
  const token = await partner.createToken();
  await partner.play();
  for (const byMs of [-HOUR_MS, HOUR_MS]) {
    await setClock(byMs);
    await expect.poll(() => screen.token.inputValue()).not.toBe(token);
    expect(await screen.countdown.textContent()).toBe('00:00');
    await setClock(-byMs);
    await expect.poll(() => screen.token.inputValue()).toBe(token);
    await partner.status('Audio en reproducción');
    expect(await screen.countdown.textContent()).toMatch(/^1\d : \d\d$/);
  }
  await partner.soundAdvances();
});

describe('when the provider fails', () => {
  test('the old token stays, and the partner sees a message and can try again', async ({
    site,
    partner,
    page,
    screen,
  }) => {
    const warnings: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'warning') warnings.push(message.text());
    });
    await partner.signIn();
    const token = await partner.createToken();
    await site.providerDown();
    try {
      await screen.createToken.click();
      await page.getByText('El proveedor de audio no responde').waitFor();
      const message = page.getByRole('alert').filter({ hasText: 'El proveedor' });
      expect(await message.textContent()).toContain(SUPPORT_CONTACT);
      const links = message
        .getByRole('link')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
      expect(await links).toEqual(['mailto:soporte@radio.example', 'tel:+34600123456']);
      expect(warnings).toContain('Something went wrong');
      await page.getByText('Creando Token').waitFor({ state: 'hidden' });
      expect(await screen.token.inputValue()).toBe(token);
    } finally {
      await site.providerUp();
    }
    expect(await partner.createToken()).not.toBe(token);
    await page.getByText('El proveedor de audio no responde').waitFor({ state: 'hidden' });
  });
});

function describedBy(element: Locator): Promise<string | null | undefined> {
  return element.evaluate(
    (one) => document.getElementById(one.getAttribute('aria-describedby') ?? '')?.textContent,
  );
}

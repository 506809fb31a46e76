import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { ACCOUNT } from '../support/testApp.ts';
import { held } from './held.ts';
import { test } from './partnerTest.ts';

const MINUTE_MS = 60_000;

describe('by keyboard alone', () => {
  test('the whole job works, and the focus is always visible', async ({ site, partner, page, screen }) => {
    await partner.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/');
    await screen.signIn.waitFor();
    await expect.poll(() => focused(page)).toBe('username');
    await expectFocusSeen(page);
    await page.keyboard.type(ACCOUNT.username);
    await tabTo(page, 'password');
    await page.keyboard.type(ACCOUNT.password);
    await page.keyboard.press('Enter');

    await screen.createToken.waitFor();
    await expect.poll(() => focused(page)).toBe('Radio Uno');
    expect(await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle)).toBe(
      'none',
    );
    await tabTo(page, 'Crear Token');
    await page.keyboard.press('Enter');
    await page.getByText('Audio en pausa').waitFor();
    await expect.poll(() => focused(page)).toBe('Crear Token');

    const token = await screen.token.inputValue();
    await tabTo(page, 'token');
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(token);
    await tabTo(page, 'Copiar URL');
    await page.keyboard.press('Space');
    await page.getByText('Copiada · conéctate antes de las').waitFor();
    expect(await partner.clipboard()).toBe(site.streamBaseUrl + token);

    await tabTo(page, 'Reproducir audio', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Audio en reproducción').waitFor();
    expect(await focused(page)).toBe('Pausar audio');
    await page.keyboard.press('Space');
    await page.getByText('Audio en pausa').waitFor();

    await tabTo(page, 'Cerrar Sesión');
    await page.keyboard.press('Enter');
    await screen.signIn.waitFor();
    await expect.poll(() => focused(page)).toBe('username');
    expect(partner.complaints).toEqual([]);
  });

  test('errors move the focus to the first faulty field', async ({ partner, page, screen }) => {
    await page.goto('/');
    await partner.fillIn('cinco', 'cinco');
    expect(await focused(page)).toBe('username');
    expect(await screen.username.getAttribute('aria-invalid')).toBe('true');
    expect(await describedBy(page, 'username')).toBe('Obligatorio Debes ingresar un correo valido');
    expect(await describedBy(page, 'password')).toBe('Obligatorio Debes ingresar una contraseña');
    await partner.fillIn('seis66', 'cinco');
    expect(await focused(page)).toBe('password');
    await partner.fillIn('seis66', 'otra-cosa');
    await page.getByText('Credenciales invalidas').waitFor();
    await expect.poll(() => focused(page)).toBe('password');
    await page.keyboard.type(ACCOUNT.password);
    expect(await screen.password.inputValue()).toBe(ACCOUNT.password);
  });

  test('nothing behind an overlay can be reached', async ({ partner, page, screen }) => {
    await partner.signIn();
    const letGo = await held(page, '**/graphql');
    await screen.createToken.focus();
    await page.keyboard.press('Enter');
    const overlay = page.getByText('Creando Token');
    await overlay.waitFor();
    expect(await focused(page)).toContain('Creando Token');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Cerrar Sesión');
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('main') ?? null)).toBeNull();
    letGo();
    await overlay.waitFor({ state: 'hidden' });
    await page.getByText('Audio en pausa').waitFor();
    expect(await screen.createToken.isEnabled()).toBe(true);
  });
});

test('screen readers announce the countdown at 20, 5, 2 and 0 minutes only', async ({ partner, page }) => {
  await partner.signIn();
  await page.evaluate(() => {
    const said: string[] = [];
    Object.assign(window, { said });
    new MutationObserver((changes) => {
      for (const { target, type, addedNodes } of changes) {
        if (type === 'childList' && addedNodes.length === 0) continue;
        const element = target instanceof Element ? target : target.parentElement;
        const region = element?.closest('[role=status], [role=alert], [aria-live]');
        if (region?.textContent) said.push(region.textContent);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await page.clock.install();
  await partner.createToken();
  for (let minute = 1; minute <= 20; minute += 1) await page.clock.fastForward(MINUTE_MS);
  await expect.poll(() => partner.screen.countdown.textContent()).toBe('00:00');
  const said = await page.evaluate((): string[] => Reflect.get(window, 'said'));
  expect(said.filter((text) => /tiempo|expiró/i.test(text))).toEqual([
    'Token creado. Tiempo restante: 20 minutos.',
    'Tiempo restante: 5 minutos.',
    'Tiempo restante: 2 minutos.',
    'El Token expiró.',
  ]);
  expect(await partner.screen.countdown.getAttribute('aria-live')).toBeNull();
});

test('the title and the icon of the tab show the time left and whether there is sound', async ({
  site,
  partner,
  page,
  screen,
}) => {
  const icon = () => page.locator('link[rel=icon]').getAttribute('href');
  await partner.signIn();
  const own = await icon();
  expect(await page.title()).toBe('Sin Token · Audio Oficial Premium');
  await page.clock.install();
  await partner.createToken();
  await expect.poll(() => page.title()).toMatch(/^1\d:\d\d · Audio Oficial Premium$/);
  await screen.play.click();
  await expect.poll(() => page.title()).toMatch(/^▶ 1\d:\d\d · Audio Oficial Premium$/);
  const playing = await icon();
  expect(playing).toMatch(/^data:image\/svg/);
  await page.clock.fastForward(20 * MINUTE_MS);
  await expect.poll(() => page.title()).toBe('▶ Expirado · Audio Oficial Premium');
  expect(await icon()).toBe(playing);
  await screen.signOut.click();
  await screen.signIn.waitFor();
  await expect.poll(() => page.title()).toBe('Audio Oficial Premium');
  expect(new URL((await icon()) ?? '', site.url).href).toBe(new URL(own ?? '', site.url).href);
  expect(partner.complaints).toEqual([]);
});

test('the layout never shifts, from the first paint over sign-in, a token and its expiry to a failure', async ({
  site,
  partner,
  page,
  screen,
}) => {
  await page.addInitScript(() => {
    type Shift = PerformanceEntry & { value: number; sources: Array<{ node: Node | null }> };
    const whatMoved = (entry: PerformanceEntry) => {
      const { value, sources } = entry as Shift;
      return `${value}: ${sources.map(({ node }) => (node instanceof Element ? node.outerHTML : node?.nodeName)).join(', ')}`;
    };
    const shifts: string[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push(whatMoved(entry));
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const shifts = () => page.evaluate((): string[] => Reflect.get(window, 'shifts'));
  await page.goto('/');
  await screen.signIn.waitFor();
  const form = await page.locator('form').boundingBox();
  await partner.fillIn('cinco', 'cinco');
  await partner.fillIn('seis66', 'otra-cosa');
  await page.getByText('Credenciales invalidas').waitFor();
  expect(await page.locator('form').boundingBox()).toEqual(form);
  await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
  await screen.createToken.waitFor();
  await page.reload();
  await screen.createToken.waitFor();
  const card = await page.locator('main').boundingBox();
  await page.clock.install();
  await partner.createToken();
  await page.clock.fastForward(20 * MINUTE_MS);
  await expect.poll(() => screen.countdown.textContent()).toBe('00:00');
  await site.providerDown();
  try {
    await screen.createToken.click();
    await page.getByText('El proveedor de audio no responde').waitFor();
  } finally {
    await site.providerUp();
  }
  expect(await page.locator('main').boundingBox()).toEqual(card);
  expect(await shifts()).toEqual([]);
});

describe('no wrong screen shows, not even for a moment', () => {
  test.for(['/', '/dashboard'])(
    'whoever is signed in and opens %s never sees the login screen',
    async (path, { partner, page, screen }) => {
      await partner.signIn();
      await watchFor(page, 'form');
      await page.goto(path);
      await screen.createToken.waitFor();
      expect(await wasSeen(page)).toBe(false);
    },
  );

  test('whoever is signed out and opens /dashboard never sees the dashboard', async ({ page, screen }) => {
    await watchFor(page, '.dashboard');
    await page.goto('/dashboard');
    await screen.signIn.waitFor();
    expect(await wasSeen(page)).toBe(false);
  });
});

/** Watches from the page's start whether a matching element ever appears. */
async function watchFor(page: Page, selector: string): Promise<void> {
  await page.addInitScript((wanted) => {
    Object.assign(window, { seen: false });
    new MutationObserver(() => {
      if (document.querySelector(wanted)) Object.assign(window, { seen: true });
    }).observe(document, { subtree: true, childList: true });
  }, selector);
}

function wasSeen(page: Page): Promise<boolean> {
  return page.evaluate((): boolean => Reflect.get(window, 'seen'));
}

/** Presses Tab until the named element has the focus, and expects the focus to be visible. */
async function tabTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press(key);
    if ((await focused(page)) === name) return expectFocusSeen(page);
  }
  throw new Error(`${key} does not lead to ${name}`);
}

/** Returns the label, the id or the text of the focused element. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    return element?.getAttribute('aria-label') || element?.id || element?.textContent || '';
  });
}

async function expectFocusSeen(page: Page): Promise<void> {
  const seen = await page.evaluate(() => {
    const element = document.activeElement;
    if (!element) return null;
    const { left, top, width, height } = element.getBoundingClientRect();
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const onTop = document.elementFromPoint(left + width / 2, top + height / 2);
    return {
      outlined: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
      uncovered: element.contains(onTop),
      large: width >= 44 && height >= 44,
    };
  });
  expect(seen).toEqual({ outlined: true, uncovered: true, large: true });
}

async function describedBy(page: Page, id: string): Promise<string> {
  return page.evaluate((field) => {
    const ids = document.getElementById(field)?.getAttribute('aria-describedby')?.split(' ') ?? [];
    return ids.map((one) => document.getElementById(one)?.textContent).join(' ');
  }, id);
}

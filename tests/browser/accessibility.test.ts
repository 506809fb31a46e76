import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from '../support/partnerTest.ts';
import { ACCOUNT } from '../support/testApp.ts';
import { held } from './held.ts';

test('the whole job works by keyboard alone', async ({ site, partner, page, screen }) => {
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
  const short = page.locator('.url__short');
  expect(await short.textContent()).toBe(site.streamBaseUrl + token);
  await tabTo(page, 'url', 'Shift+Tab');
  expect(await short.isVisible()).toBe(false);
  await tabTo(page, 'Copiar URL');
  await page.keyboard.press('Space');
  await page.getByText('Copiada · conéctate antes de las').waitFor();
  expect(await partner.clipboard()).toBe(site.streamBaseUrl + token);

  await tabTo(page, 'Reproducir audio', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Audio en reproducción').waitFor();
  expect(await focused(page)).toBe('Pausar audio');
  await partner.soundAdvances();
  await page.keyboard.press('Space');
  await page.getByText('Audio en pausa').waitFor();
  expect(await page.locator('audio[src]').count()).toBe(0);

  await tabTo(page, 'Cerrar Sesión');
  await page.keyboard.press('Enter');
  await screen.signIn.waitFor();
  await expect.poll(() => focused(page)).toBe('username');
  expect(partner.complaints).toEqual([]);
});

test('nothing behind an overlay can be reached', async ({ partner, page, screen }) => {
  await partner.signIn();
  const letGo = await held(page, '**/graphql');
  await screen.createToken.focus();
  await page.keyboard.press('Enter');
  const overlay = page.getByText('Creando Token');
  await overlay.waitFor();
  await expect.poll(() => focused(page)).toContain('Creando Token');
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('Cerrar Sesión');
  await page.keyboard.press('Shift+Tab');
  expect(await page.evaluate(() => document.activeElement?.closest('main') ?? null)).toBeNull();
  letGo();
  await overlay.waitFor({ state: 'hidden' });
  await page.getByText('Audio en pausa').waitFor();
  expect(await screen.createToken.isEnabled()).toBe(true);
});

test('a session that ends under the overlay leaves the focus on the page, and the sound until it is paused', async ({
  site,
  partner,
  page,
  screen,
}) => {
  await partner.signIn(0);
  await partner.play();
  await site.app.prisma.session.deleteMany();
  await screen.createToken.focus();
  await page.keyboard.press('Enter');
  await partner.sees('Tu sesión terminó. El audio continúa.');
  await page.getByText('Creando Token').waitFor({ state: 'hidden' });
  await expect.poll(() => screen.createToken.isDisabled()).toBe(true);
  expect(await focused(page)).toBe('token-heading');
  await partner.soundAdvances();
  await screen.pause.click();
  await partner.sees('Tu sesión terminó. Inicia sesión de nuevo.');
  expect(await page.title()).toBe('⚠ El audio terminó. · Audio Oficial Premium');
});

test('the layout never shifts from the first paint to the dashboard', async ({ partner, page, screen }) => {
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
  await partner.fillIn('cinco', 'cinco');
  await partner.fillIn('seis66', 'otra-cosa');
  await page.getByText('Credenciales invalidas').waitFor();
  await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
  await screen.createToken.waitFor();
  await page.reload();
  await screen.createToken.waitFor();
  expect(await shifts()).toEqual([]);
});

async function tabTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press(key);
    if ((await focused(page)) === name) return expectFocusSeen(page);
  }
  throw new Error(`${key} does not lead to ${name}`);
}

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

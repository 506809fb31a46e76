import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ACCOUNT } from '../support/testApp.ts';
import { CHROMIUM_FLAGS, requireChromium } from '../support/testTools.ts';
import { test } from './partnerTest.ts';

const BLOCKED = 2;

test('a browser that takes no cookies is called that, with what to do', async ({ site }) => {
  const profile = temporaryFolder();
  mkdirSync(path.join(profile, 'Default'));
  const settings = { profile: { default_content_setting_values: { cookies: BLOCKED } } };
  writeFileSync(path.join(profile, 'Default', 'Preferences'), JSON.stringify(settings));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: requireChromium(),
    args: CHROMIUM_FLAGS,
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(site.url);
  await page.getByLabel('Correo electrónico').fill(ACCOUNT.username);
  await page.getByLabel('Contraseña').fill(ACCOUNT.password);
  await page.getByRole('button', { name: 'iniciar sesión' }).click();
  const message = page.getByText('Tu navegador bloquea las cookies.');
  await message.waitFor();
  expect(await message.textContent()).toContain('Permítelas en este sitio e inicia sesión de nuevo.');
  expect(await page.getByRole('button', { name: 'Crear Token' }).count()).toBe(0);
});

describe('the whole job works', () => {
  test('where the browser lets no page reach its storage', async ({ partner, page }) => {
    await page.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get() {
          throw new DOMException('The operation is insecure.', 'SecurityError');
        },
      });
    });
    await partner.wholeJob();
    await partner.soundAdvances();
    await partner.screen.signOut.click();
    await partner.screen.signIn.waitFor();
    expect(partner.complaints).toEqual([]);
  });

  test('where the storage is full, and the next visit begins with a sign-in', async ({ partner, page }) => {
    await page.goto('/');
    await page.evaluate(() => {
      for (let size = 2 ** 22; size >= 1; size /= 2) {
        try {
          for (;;) localStorage.setItem(`${size}-${localStorage.length}`, 'x'.repeat(size));
        } catch {}
      }
    });
    await partner.wholeJob();
    await partner.soundAdvances();
    expect(Object.keys(await partner.storage())).not.toContain('account');
    await page.reload();
    await partner.screen.signIn.waitFor();
    expect(partner.complaints).toEqual([]);
  });
});

test('a token edited by hand reads as none, and the next one is kept', async ({ partner, page, screen }) => {
  await partner.signIn();
  await page.evaluate(() => {
    localStorage.setItem('token', '\u0000');
    localStorage.setItem('token_expire', 'mañana');
  });
  await page.reload();
  await screen.createToken.waitFor();
  expect(await screen.token.inputValue()).toBe('Debes generar un Token');
  const token = await partner.createToken();
  expect((await partner.storage()).token).toBe(token);
  await partner.play();
  expect(partner.complaints).toEqual([]);
});

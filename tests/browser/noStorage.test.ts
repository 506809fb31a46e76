import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ACCOUNT } from '../support/testApp.ts';
import { CHROMIUM_FLAGS, requireChromium } from '../support/testTools.ts';
import { test } from './partnerTest.ts';

const BLOCKED = 2;

test('when the browser keeps no cookies, the page says so, and what to do', async ({ site }) => {
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

test('the whole job works in a browser that denies pages their storage', async ({ partner, page }) => {
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

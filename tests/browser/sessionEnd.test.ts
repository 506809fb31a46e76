import { expect } from 'vitest';
import { test } from './partnerTest.ts';

const CUT = '⚠ El audio terminó. · Audio Oficial Premium';

test.beforeEach(async ({ partner }) => {
  await partner.signIn();
  await partner.createToken();
  await partner.play();
});

test('sound outlives its session until it is paused', async ({ site, partner, page, screen }) => {
  await site.app.prisma.session.deleteMany();
  await page.getByText('Tokens de hoy').click();
  await partner.sees('Tu sesión terminó. El audio continúa.');
  await partner.soundAdvances();
  expect(await page.getByText('Tokens de hoy').count()).toBe(0);
  await screen.pause.click();
  await partner.sees('Tu sesión terminó. Inicia sesión de nuevo.');
  expect(await page.title()).toBe(CUT);
});

test('a sign-out in another tab ends the sound', async ({ partner, page }) => {
  const other = await partner.context.newPage();
  await other.goto('/dashboard');
  await other.getByRole('link', { name: 'Cerrar Sesión' }).click();
  await partner.sees('La sesión se cerró en otra pestaña.');
  expect(await page.title()).toBe(CUT);
  expect(await page.locator('audio').count()).toBe(0);
});

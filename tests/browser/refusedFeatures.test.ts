import { expect } from 'vitest';
import { ACCOUNT } from '../support/testApp.ts';
import { test } from './partnerTest.ts';
import { refuseCookies } from './screenStates.ts';

test.beforeEach(({ page }) =>
  page.addInitScript(() => {
    const get = () => {
      throw new DOMException('made up', 'SecurityError');
    };
    for (const name of ['localStorage', 'sessionStorage', 'BroadcastChannel', 'Worker'])
      Object.defineProperty(window, name, { get });
    for (const name of ['mediaSession', 'clipboard']) Object.defineProperty(navigator, name, { get });
  }),
);

test('a partner whose browser refuses cookies and storage reads so, as often as they sign in', async ({
  partner,
  page,
  screen,
}) => {
  await refuseCookies(partner);
  await page.goto('/');
  for (const act of [() => page.reload(), () => undefined]) {
    await screen.signIn.waitFor();
    await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
    await partner.sees('Tu navegador bloquea las cookies');
    await act();
  }
});

test('sound plays and its URL is copied where the browser refuses storage, channels and workers', async ({
  site,
  partner,
  screen,
}) => {
  await partner.signInByForm();
  const token = await partner.createToken();
  await partner.play();
  await partner.soundAdvances();
  await screen.copy.click();
  await partner.sees('Copiada · conéctate antes de las');
  await screen.pause.click();
  await partner.status('Audio en pausa');
  await screen.signOut.click();
  await screen.signIn.waitFor();
  expect(partner.complaints).toEqual([]);
  const other = await partner.context.newPage();
  await other.goto(site.url);
  await partner.context.grantPermissions(['clipboard-read']);
  expect(await other.evaluate(() => navigator.clipboard.readText())).toBe(site.streamBaseUrl + token);
});

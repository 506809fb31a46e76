import { test as base } from '../support/partnerTest.ts';

const test = base.extend('siteOptions', { scope: 'file' }, () => ({ inPublicNetwork: true }));

test('a stream in the local network names the browser’s permission until it is given', async ({
  partner,
  page,
  screen,
}) => {
  // Denies all others.
  await partner.context.grantPermissions(['clipboard-read']);
  await partner.signIn(0);
  await screen.play.click();
  await partner.status('Reconectando…');
  await partner.sees('El navegador no deja que esta página llegue a la red local.');
  await partner.context.grantPermissions(['local-network-access']);
  await page.getByRole('button', { name: 'Intentar ahora' }).click();
  await partner.status('Audio en reproducción');
});

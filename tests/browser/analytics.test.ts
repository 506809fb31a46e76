import { expect } from 'vitest';
import { test as base } from '../support/partnerTest.ts';
import { ACCOUNT } from '../support/testApp.ts';
import { FIREBASE_CONFIG, GOOGLE, standInForGoogle } from './googleStandIn.ts';

const CANARY = 'canario-4711';

const test = base.extend('siteOptions', { scope: 'file' }, () => ({
  pageConfig: { firebaseConfig: FIREBASE_CONFIG, supportContact: null, streamCors: false },
}));

test('Google learns of events without any secret', async ({ site, partner, page }) => {
  const google = await standInForGoogle(partner.context);
  await page.goto(`/?usuario=${CANARY}#${CANARY}`, { referer: `https://intranet.example/${CANARY}` });
  await partner.fillIn(ACCOUNT.username, `${CANARY}-wrong`);
  await partner.sees('Credenciales invalidas');
  await expect
    .poll(google.events)
    .toEqual([{ name: 'page_view', path: '/', referrer: new URL(site.url).origin, title: 'login' }]);
  const token = await partner.wholeJob();
  const cookies = await partner.context.cookies();
  // The tag itself tells when a page is scrolled.
  await page.evaluate((canary) => {
    document.title = canary;
    document.dispatchEvent(new Event('scroll'));
  }, CANARY);
  await partner.screen.signOut.click();
  await partner.screen.signIn.waitFor();

  await expect
    .poll(() => google.events().map(({ name, path }) => `${name} ${path}`))
    .toEqual([
      'page_view /',
      // The job starts on a page of its own.
      'page_view /',
      'login /',
      'page_view /dashboard',
      'token_created /dashboard',
      'play /dashboard',
      'copy /dashboard',
      'scroll /dashboard',
      'page_view /',
    ]);
  expect(google.origins()).toEqual(new Set(Object.values(GOOGLE)));

  const sent = await google.everythingSent();
  expect(sent).toContain(FIREBASE_CONFIG.measurementId);
  const { id } = await site.app.prisma.account.findUniqueOrThrow({ where: { username: ACCOUNT.username } });
  const cookieValues = cookies.map(({ value }) => value);
  for (const secret of [...Object.values(ACCOUNT), id, token, ...cookieValues, CANARY, 'wmsAuthSign']) {
    expect(sent).not.toContain(secret);
    expect(sent).not.toContain(encodeURIComponent(secret));
    expect(sent).not.toContain(Buffer.from(secret).toString('base64url'));
  }
  expect(partner.complaints).toEqual([]);
});

test('a partner whose browser blocks analytics notices nothing', async ({ partner, page }) => {
  const google = await standInForGoogle(partner.context, { blocked: true });
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  await partner.wholeJob();
  await expect.poll(google.origins).toEqual(new Set([GOOGLE.installations]));
  // The browser itself notes each request that fails, which no page can keep it from.
  const saidByPage = [...said, ...partner.complaints].filter(
    (text) => !text.startsWith('Failed to load resource'),
  );
  expect(saidByPage).toEqual([]);
});

test('a browser that keeps no cookies sends no request to Google', async ({ partner }) => {
  const google = await standInForGoogle(partner.context);
  await partner.context.addInitScript("Object.defineProperty(navigator, 'cookieEnabled', { value: false })");
  const loaded = partner.page.waitForResponse(/assets\/firebase-.*\.js/);
  await partner.signIn();
  await (await loaded).finished();
  await partner.createToken();
  expect(google.origins()).toEqual(new Set());
  expect(partner.complaints).toEqual([]);
});

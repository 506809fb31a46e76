import { expect } from 'vitest';
import { ACCOUNT } from '../support/testApp.ts';
import { FIREBASE_CONFIG, GOOGLE, type Service, standInForGoogle } from './googleStandIn.ts';
import { test as base } from './partnerTest.ts';

/** A secret that an address, a title or a referrer may hold. */
const CANARY = 'canario-4711';

const test = base.extend('siteOptions', { scope: 'file' }, () => ({
  pageConfig: { firebaseConfig: FIREBASE_CONFIG, supportContact: null, streamCors: false },
}));

const pageEvents = (google: Awaited<ReturnType<typeof standInForGoogle>>) =>
  google.events().map(({ name, path }) => `${name} ${path}`);

test('page views and four events are reported to Google, without tokens, accounts or other product data', async ({
  site,
  partner,
  page,
}) => {
  const google = await standInForGoogle(partner.context);
  await page.goto('/');
  await partner.fillIn(ACCOUNT.username, `${CANARY}-wrong`);
  await page.getByText('Credenciales invalidas').waitFor();
  await expect.poll(() => pageEvents(google)).toEqual(['page_view /']);
  const token = await partner.wholeJob();
  const cookies = await partner.context.cookies();
  await partner.screen.signOut.click();
  await partner.screen.signIn.waitFor();

  // The tag itself tells when a page is scrolled, as this one may be to reach the link.
  await expect
    .poll(async () => (await pageEvents(google)).filter((event) => !event.startsWith('scroll ')))
    .toEqual([
      'page_view /',
      // The job starts on a page of its own.
      'page_view /',
      'login /',
      'page_view /dashboard',
      'token_created /dashboard',
      'play /dashboard',
      'copy /dashboard',
      'page_view /',
    ]);
  expect(google.origins()).toEqual(new Set(Object.values(GOOGLE)));

  const sent = await google.everythingSent();
  expect(sent).toContain(FIREBASE_CONFIG.measurementId);
  const { id } = await site.app.prisma.account.findUniqueOrThrow({ where: { username: ACCOUNT.username } });
  expect(cookies.map(({ name }) => name)).toContain('session');
  const cookieValues = cookies.map(({ value }) => value);
  for (const secret of [...Object.values(ACCOUNT), id, token, ...cookieValues, CANARY, 'wmsAuthSign']) {
    expect(sent).not.toContain(secret);
    expect(sent).not.toContain(encodeURIComponent(secret));
    expect(sent).not.toContain(Buffer.from(secret).toString('base64url'));
  }
  expect(partner.complaints).toEqual([]);
});

test('an unknown path is reported without its address or referrer', async ({ site, partner, page }) => {
  const google = await standInForGoogle(partner.context);
  await page.goto(`/no/${CANARY}?token=${CANARY}#${CANARY}`, {
    referer: `https://intranet.example/${CANARY}`,
  });
  await page.getByText('Página no encontrada').waitFor();
  expect(await page.evaluate(() => document.referrer)).toContain(CANARY);
  await expect
    .poll(google.events)
    .toEqual([
      { name: 'page_view', path: '/not-found', referrer: new URL(site.url).origin, title: 'notFound' },
    ]);
  expect(await google.everythingSent()).not.toContain(CANARY);
});

test('events that Google’s tag sends by itself carry no address or title either', async ({
  partner,
  page,
}) => {
  const google = await standInForGoogle(partner.context);
  await partner.signIn(`/?usuario=${CANARY}#${CANARY}`);
  await expect.poll(() => pageEvents(google)).toContain('page_view /dashboard');
  await page.evaluate((canary) => {
    document.title = canary;
    document.dispatchEvent(new Event('scroll'));
  }, CANARY);
  await expect.poll(() => pageEvents(google)).toContain('scroll /dashboard');
  expect(await google.everythingSent()).not.toContain(CANARY);
});

test.for<[blocked: string, down: Service[], asked: Service[]]>([
  ['all of analytics', ['config', 'installations', 'tag', 'events'], ['installations']],
  ['analytics’ registration', ['installations'], ['installations']],
  ['analytics’ configuration', ['config'], ['installations', 'config', 'tag', 'events']],
  ['analytics’ tag', ['tag'], ['installations', 'config', 'tag']],
  ['analytics’ events', ['events'], ['installations', 'config', 'tag', 'events']],
])('a partner whose browser blocks %s notices nothing', async ([, down, asked], { partner, page }) => {
  const google = await standInForGoogle(partner.context, down);
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  await partner.wholeJob();
  await expect.poll(google.origins).toEqual(new Set(asked.map((service) => GOOGLE[service])));
  // The browser itself notes each request that fails, which no page can keep it from.
  const saidByPage = [...said, ...partner.complaints].filter(
    (text) => !text.startsWith('Failed to load resource'),
  );
  expect(saidByPage).toEqual([]);
});

test.for([
  ['without IndexedDB, as in some private windows,', "window, 'indexedDB', { value: undefined }"],
  ['that keeps no cookies', "navigator, 'cookieEnabled', { value: false }"],
])('a browser %s sends no request to Google', async ([, lack], { partner }) => {
  const google = await standInForGoogle(partner.context);
  await partner.context.addInitScript(`Object.defineProperty(${lack})`);
  const loaded = partner.page.waitForResponse(/assets\/firebase-.*\.js/);
  await partner.wholeJob();
  await (await loaded).finished();
  expect(google.origins()).toEqual(new Set());
  expect(partner.complaints).toEqual([]);
});

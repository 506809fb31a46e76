import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Partner, type PartnerSite, startPartnerSite } from '../support/partnerSite.ts';
import { ACCOUNT } from '../support/testApp.ts';
import { FIREBASE_CONFIG, GOOGLE, type Service, standInForGoogle } from './googleStandIn.ts';

/** Stands for what an address, a title or a referrer may hold that is nobody's business. */
const CANARY = 'canario-4711';

let site: PartnerSite;
let partner: Partner;

beforeEach(async () => {
  partner = await site.newPartner();
});
afterEach(() => partner.context.close());

/** Does a partner's whole job and returns the token created. */
async function wholeJob(): Promise<string> {
  const { page, screen } = partner;
  await partner.signIn();
  const token = await partner.createToken();
  await screen.play.click();
  await page.getByText('Audio en reproducción').waitFor();
  await partner.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await screen.copy.click();
  await page.getByText('URL copiada').waitFor();
  return token;
}

describe('with FIREBASE_CONFIG set', () => {
  beforeAll(async () => {
    site = await startPartnerSite({ firebaseConfig: FIREBASE_CONFIG });
  });
  afterAll(() => site.close());

  const pageEvents = (google: Awaited<ReturnType<typeof standInForGoogle>>) =>
    google.events().map(({ name, path }) => `${name} ${path}`);

  test('page views and the four events are reported as they happen, and nothing of the product with them', async () => {
    const google = await standInForGoogle(partner.context);
    const { page, complaints } = partner;
    await page.goto('/');
    await partner.fillIn(ACCOUNT.username, `${CANARY}-wrong`);
    await page.getByText('Credenciales invalidas').waitFor();
    await expect.poll(() => pageEvents(google)).toEqual(['page_view /']);
    const token = await wholeJob();
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
    expect(complaints).toEqual([]);
  });

  test('an unknown path is reported as not found, and neither its address nor where the visitor came from', async () => {
    const google = await standInForGoogle(partner.context);
    const { page } = partner;
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

  test('what the tag sends of its own accord names the page as we do, whatever stands in address and title', async () => {
    const google = await standInForGoogle(partner.context);
    const { page } = partner;
    await partner.signIn(`/?usuario=${CANARY}#${CANARY}`);
    await expect.poll(() => pageEvents(google)).toContain('page_view /dashboard');
    await page.evaluate((canary) => {
      document.title = canary;
      document.dispatchEvent(new Event('scroll'));
    }, CANARY);
    await expect.poll(() => pageEvents(google)).toContain('scroll /dashboard');
    expect(await google.everythingSent()).not.toContain(CANARY);
  });

  test.each<[blocked: string, down: Service[], asked: Service[]]>([
    ['everything', ['config', 'installations', 'tag', 'events'], ['installations']],
    ['the registration', ['installations'], ['installations']],
    ['the configuration', ['config'], ['installations', 'config', 'tag', 'events']],
    ['the tag', ['tag'], ['installations', 'config', 'tag']],
    ['the events', ['events'], ['installations', 'config', 'tag', 'events']],
  ])('with %s blocked the partner notices nothing, nor does the console', async (_blocked, down, asked) => {
    const google = await standInForGoogle(partner.context, down);
    const { page, complaints } = partner;
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    await wholeJob();
    await expect.poll(google.origins).toEqual(new Set(asked.map((service) => GOOGLE[service])));
    // The browser itself notes each request that fails, which no page can keep it from.
    const saidByPage = [...said, ...complaints].filter((text) => !text.startsWith('Failed to load resource'));
    expect(saidByPage).toEqual([]);
  });

  test.each([
    ['without IndexedDB, as in some private windows,', "window, 'indexedDB', { value: undefined }"],
    ['that takes no cookies', "navigator, 'cookieEnabled', { value: false }"],
  ])('a browser %s asks Google for nothing', async (_browser, lack) => {
    const google = await standInForGoogle(partner.context);
    await partner.context.addInitScript(`Object.defineProperty(${lack})`);
    const loaded = partner.page.waitForResponse(/assets\/firebase-.*\.js/);
    await wholeJob();
    await (await loaded).finished();
    expect(google.origins()).toEqual(new Set());
    expect(partner.complaints).toEqual([]);
  });
});

describe('with FIREBASE_CONFIG unset', () => {
  beforeAll(async () => {
    site = await startPartnerSite();
  });
  afterAll(() => site.close());

  test('nothing is asked of anybody but us and the stream, and no byte of Firebase is loaded', async () => {
    const asked: URL[] = [];
    partner.context.on('request', (request) => asked.push(new URL(request.url())));
    await wholeJob();
    await partner.page.goto('/no/existe');
    await partner.page.waitForLoadState('networkidle');
    const origins = new Set(asked.map((url) => url.origin));
    expect(origins).toEqual(new Set([site.url, new URL(site.streamBaseUrl).origin]));
    expect(asked.filter((url) => /firebase/.test(url.href))).toEqual([]);
    const globals = await partner.page.evaluate(() => ['gtag', 'dataLayer'].filter((name) => name in window));
    expect(globals).toEqual([]);
    expect(partner.complaints).toEqual([
      'Failed to load resource: the server responded with a status of 404 (Not Found)',
    ]);
  });
});

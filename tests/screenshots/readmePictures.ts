import path from 'node:path';
import { test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { type Partner, type PartnerSite, startPartnerSite } from '../support/partnerSite.ts';
import { ACCOUNT } from '../support/testApp.ts';

const PICTURES = [
  { file: 'dashboard.png', viewport: { width: 1200, height: 760 }, colorScheme: 'light' },
  { file: 'phone.png', viewport: { width: 412, height: 915 }, colorScheme: 'dark' },
] as const;
const COMPANY = 'Radio Demo';
const STREAM = 'https://audio.radio.example/mp3/icecast.audio?wmsAuthSign=';

test.each(PICTURES)('$file', async ({ file, ...look }) => {
  const site = await startPartnerSite();
  const partner = await site.newPartner(look);
  await asInProduction(partner, site);
  await partner.wholeJob();
  await partner.soundAdvances(1);
  await partner.page.screenshot({ path: path.join(PROJECT_ROOT, 'docs/images', file) });
  await site.close();
});

/** Names the company of the demo, and a stream by https, which leads to the demo's. */
async function asInProduction({ page }: Partner, { streamBaseUrl }: PartnerSite): Promise<void> {
  await page.route('**/graphql', async (route) => {
    const response = await route.fetch();
    const body = (await response.text())
      .replaceAll(streamBaseUrl, STREAM)
      .replaceAll(ACCOUNT.company, COMPANY);
    await route.fulfill({ response, body });
  });
  await page.route(`${new URL(STREAM).origin}/**`, (route) => {
    const location = route.request().url().replace(STREAM, streamBaseUrl);
    return route.fulfill({ status: 302, headers: { location } });
  });
}

import { test as base } from 'vitest';
import { startPartnerSite } from './partnerSite.ts';

type SiteOptions = Parameters<typeof startPartnerSite>[0];

/**
 * `test` with a site for the whole file, started with `siteOptions`, and a new partner at it for each test. A file that
 * needs other options extends it; `test.override` would change it for every later file of the worker.
 */
export const test = base
  .extend('siteOptions', { scope: 'file' }, (): SiteOptions => ({}))
  .extend('site', { scope: 'file' }, async ({ siteOptions }, { onCleanup }) => {
    const site = await startPartnerSite(siteOptions);
    onCleanup(() => site.close());
    return site;
  })
  .extend('partner', async ({ site }, { onCleanup }) => {
    const partner = await site.newPartner();
    onCleanup(() => partner.close());
    return partner;
  })
  .extend('page', ({ partner }) => partner.page)
  .extend('screen', ({ partner }) => partner.screen);

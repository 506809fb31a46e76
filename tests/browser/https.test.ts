import { expect } from 'vitest';
import { test as base } from './partnerTest.ts';

const test = base.extend('siteOptions', { scope: 'file' }, () => ({ trustProxy: 1 }));

/** To Chromium the machine's own address is as trustworthy as https; the header is what the proxy in front adds. */
test('behind an https proxy the whole job works with secure cookies', async ({ site }) => {
  const partner = await site.newPartner({ extraHTTPHeaders: { 'x-forwarded-proto': 'https' } });
  const { screen, context, complaints } = partner;
  try {
    const token = await partner.wholeJob();
    const flags = { secure: true, httpOnly: true, sameSite: 'Strict', path: '/' };
    expect(await context.cookies()).toMatchObject([
      { name: '__Host-session', ...flags },
      { name: '__Host-device', ...flags },
    ]);

    expect(await partner.clipboard()).toBe(site.streamBaseUrl + token);

    await screen.signOut.click();
    await screen.signIn.waitFor();
    await expect.poll(() => site.app.prisma.session.count()).toBe(0);
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
  }
});

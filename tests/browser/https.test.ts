import { expect } from 'vitest';
import { test as base } from './partnerTest.ts';

const test = base.extend('siteOptions', { scope: 'file' }, () => ({ trustProxy: 1 }));

/** To Chromium the machine's own address is as trustworthy as https; the header is what the proxy in front adds. */
test('behind an https proxy the whole job works with secure cookies and strict headers, and the browser reports no problem', async ({
  site,
}) => {
  const partner = await site.newPartner({ extraHTTPHeaders: { 'x-forwarded-proto': 'https' } });
  const { page, screen, context, complaints } = partner;
  try {
    const opened = page.waitForResponse(`${site.url}/`);
    const token = await partner.wholeJob();
    expect(await (await opened).headerValue('cross-origin-opener-policy')).toBe('same-origin');
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

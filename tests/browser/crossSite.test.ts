import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Partner, type PartnerSite, startPartnerSite } from '../support/partnerSite.ts';
import { LOGOUT } from '../support/testApp.ts';

/** A page by another name of this machine: of another site than the tool, which is at 127.0.0.1. */
const hostileServer = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<!doctype html><title>Gana un premio</title>');
});

let site: PartnerSite;
let partner: Partner;
let hostilePage: Page;
let hostileUrl: string;
/** The cookies that went along with what a form sent. */
const cookiesOfForms: Array<string | undefined> = [];

beforeAll(async () => {
  site = await startPartnerSite();
  partner = await site.newPartner();
  await partner.signIn();
  await new Promise<void>((resolve) => hostileServer.listen(0, '127.0.0.1', resolve));
  const { port } = hostileServer.address() as AddressInfo;
  hostilePage = await partner.context.newPage();
  hostilePage.on('requestfinished', async (request) => {
    if (request.url() === `${site.url}/graphql` && request.isNavigationRequest()) {
      cookiesOfForms.push((await request.allHeaders()).cookie);
    }
  });
  hostileUrl = `http://localhost:${port}/`;
  await hostilePage.goto(hostileUrl);
});
afterAll(async () => {
  await site.close();
  hostileServer.close();
});

/** Sends the mutation that would sign the partner out, with whatever cookies the browser gives along, and reads the answer. */
function fetchFromThere(init: RequestInit, query = '') {
  return hostilePage.evaluate(
    async ([url, options]) => {
      try {
        const response = await fetch(url, { ...options, credentials: 'include' });
        return `${response.type} ${await response.text()}`;
      } catch {
        return 'no answer';
      }
    },
    [`${site.url}/graphql${query}`, init] as const,
  );
}

const body = JSON.stringify({ query: LOGOUT });

test('a page of another site gets nothing done and nothing to read, and the partner stays signed in', async () => {
  const json = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
  const byGet = `?query=${encodeURIComponent(LOGOUT)}`;
  expect(await fetchFromThere(json)).toBe('no answer');
  expect(await fetchFromThere({ headers: { 'apollo-require-preflight': 'yes' } }, byGet)).toBe('no answer');
  expect(await fetchFromThere({ method: 'POST', body })).toBe('no answer');
  expect(await fetchFromThere({ method: 'POST', body, mode: 'no-cors' })).not.toContain('logout');
  expect(await fetchFromThere({ mode: 'no-cors' }, byGet)).not.toContain('logout');
  for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    await hostilePage.goto(hostileUrl);
    const answered = hostilePage.waitForResponse(`${site.url}/graphql`);
    await hostilePage.evaluate(
      ([action, type, mutation]) => {
        const form = document.body.appendChild(document.createElement('form'));
        Object.assign(form, { action, method: 'post', enctype: type });
        const field = form.appendChild(document.createElement('input'));
        // As text it reads {"query":"mutation { logout }","x":"="}.
        Object.assign(field, { name: `{"query":"${mutation}","x":"`, value: '"}' });
        form.submit();
      },
      [`${site.url}/graphql`, enctype, LOGOUT] as const,
    );
    expect((await answered).status()).toBe(415);
    await hostilePage.waitForURL(`${site.url}/graphql`);
  }

  await expect.poll(() => cookiesOfForms).toEqual([undefined, undefined, undefined]);
  expect(await site.app.prisma.session.count()).toBe(1);
  expect(await partner.createToken()).not.toBe('');
});

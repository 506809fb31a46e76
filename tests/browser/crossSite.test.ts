import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { LOGOUT } from '../support/testApp.ts';
import { test } from './partnerTest.ts';

/** Serves a page of another site: it is opened at localhost, while the tool is at 127.0.0.1. */
const hostileServer = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<!doctype html><title>Gana un premio</title>');
});

const body = JSON.stringify({ query: LOGOUT });

test('a page of another site can neither act for a signed-in partner nor read data, and the partner stays signed in', async ({
  site,
  partner,
}) => {
  await partner.signIn();
  await new Promise<void>((resolve) => hostileServer.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void hostileServer.close());
  const { port } = hostileServer.address() as AddressInfo;
  const hostileUrl = `http://localhost:${port}/`;
  const hostilePage = await partner.context.newPage();
  /** The cookies sent with each form. */
  const cookiesOfForms: Array<string | undefined> = [];
  hostilePage.on('requestfinished', async (request) => {
    if (request.url() === `${site.url}/graphql` && request.isNavigationRequest()) {
      cookiesOfForms.push((await request.allHeaders()).cookie);
    }
  });
  await hostilePage.goto(hostileUrl);
  const fetchFromThere = (init: RequestInit, query = '') =>
    fetchWithCookies(hostilePage, `${site.url}/graphql${query}`, init);

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

/** Fetches with the browser's cookies from within the page, and returns the readable answer. */
function fetchWithCookies(page: Page, address: string, init: RequestInit): Promise<string> {
  return page.evaluate(
    async ([url, options]) => {
      try {
        const response = await fetch(url, { ...options, credentials: 'include' });
        return `${response.type} ${await response.text()}`;
      } catch {
        return 'no answer';
      }
    },
    [address, init] as const,
  );
}

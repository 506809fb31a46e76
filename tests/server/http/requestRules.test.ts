import fastify from 'fastify';
import { expect, test } from 'vitest';
import { addForwardedProtocol } from '../../../server/http/requestRules.ts';

async function protocolBehind(proxies: number, sent: string | string[]): Promise<string> {
  const app = fastify({ trustProxy: true });
  addForwardedProtocol(app, proxies);
  app.get('/', async ({ protocol }) => protocol);
  const { body } = await app.inject({ url: '/', headers: { 'x-forwarded-proto': sent as string } });
  return body;
}

test.each([
  [1, 'https', 'https'],
  [1, 'HTTPS', 'https'],
  [2, 'https, http', 'https'],
  [2, 'Https,http', 'https'],
  [2, 'https', 'https'],
  [2, ', http', 'http'],
  [3, 'https, http, http', 'https'],
])('behind %i proxies %j means %s', async (proxies, sent, protocol) => {
  expect(await protocolBehind(proxies, sent)).toBe(protocol);
});

test.each([
  [1, 'https, http'],
  [2, 'https, http, http'],
  [2, 'https,https,http, http'],
])('behind %i proxies %j is http, since the caller wrote the first entry', async (proxies, sent) => {
  expect(await protocolBehind(proxies, sent)).toBe('http');
});

import { EnvHttpProxyAgent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { proxyFor, proxyName, proxyOptions, readProxies } from '../../../server/config/proxies.ts';
import { egressProxy } from '../../support/egressProxy.ts';

const HTTP = 'http://proxy.example:3128';
const HTTPS = 'https://secure.example:3129';

const nameFor = (address: string, env: Record<string, string>) => {
  const proxy = proxyFor(address, readProxies(env));
  return proxy && proxyName(proxy);
};

test.each([
  ['https://media.example/', { HTTPS_PROXY: HTTPS, HTTP_PROXY: HTTP }, `${HTTPS} (HTTPS_PROXY)`],
  ['http://media.example/', { HTTPS_PROXY: HTTPS, HTTP_PROXY: HTTP }, `${HTTP} (HTTP_PROXY)`],
  ['https://media.example/', { HTTP_PROXY: HTTP }, `${HTTP} (HTTP_PROXY)`],
  ['https://media.example/', { HTTPS_PROXY: HTTP, https_proxy: HTTPS }, `${HTTPS} (https_proxy)`],
  ['https://media.example/', { https_proxy: '', HTTPS_PROXY: HTTPS }, `${HTTPS} (HTTPS_PROXY)`],
  ['https://media.example/', { HTTPS_PROXY: 'proxy.example:3128' }, `${HTTP} (HTTPS_PROXY)`],
  [
    'https://media.example/',
    { HTTPS_PROXY: 'http://user:secret@proxy.example:3128' },
    `${HTTP} (HTTPS_PROXY)`,
  ],
])('%s is asked with %j through a proxy', (address, env, name) => {
  expect(nameFor(address, env)).toBe(`the proxy ${name}`);
});

test.each(['socks5://proxy.example:1080', 'http://', 'proxy.example:port'])(
  'the proxy %s is a fault',
  (HTTPS_PROXY) => {
    expect(readProxies({ HTTPS_PROXY }).faults).toEqual(['HTTPS_PROXY']);
  },
);

/** Addresses of this machine, which a proxy could not reach. */
test.each(['http://localhost:4001/', 'http://api.localhost/', 'http://127.0.0.2/', 'http://[::1]:8080/'])(
  '%s is never asked through a proxy',
  async (address) => {
    expect(await isAskedByUndici(address, '')).toBe(false);
    expect(nameFor(address, { HTTP_PROXY: HTTP })).toBeNull();
  },
);

test.each([
  ['http://media.example/', 'media.example', false],
  ['http://a.media.example/', 'media.example', false],
  ['http://a.media.example/', 'other.example .MEDIA.example', false],
  ['http://a.media.example/', '*.media.example', false],
  ['http://notmedia.example/', 'media.example', true],
  ['http://media.example/', 'media.example:80', false],
  ['http://media.example:81/', 'media.example:80', true],
  ['http://media.example/', '*', false],
  ['http://192.0.2.1/', '192.0.2.1', false],
])('we name a proxy for %s with NO_PROXY=%s as undici asks it: %s', async (address, NO_PROXY, isAsked) => {
  expect(await isAskedByUndici(address, NO_PROXY)).toBe(isAsked);
  expect(nameFor(address, { HTTP_PROXY: HTTP, NO_PROXY }) !== null).toBe(isAsked);
});

async function isAskedByUndici(address: string, no_proxy: string): Promise<boolean> {
  const proxy = await egressProxy();
  const { origin } = new URL(address);
  const agent = new EnvHttpProxyAgent({
    ...proxyOptions(address, readProxies({ http_proxy: proxy.address, no_proxy })),
    connectTimeout: 1,
  });
  onTestFinished(() => agent.destroy());
  const asking = agent.request({ origin, path: '/', method: 'GET' }).then(({ body }) => body.dump());
  await asking.catch(() => {});
  return proxy.asked.length > 0;
}

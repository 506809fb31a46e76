import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { Agent } from 'undici';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { LONGEST_CREATION_MS } from '../../shared/creationTime.ts';
import { SECOND_MS } from '../../shared/durations.ts';
import { freePort } from '../support/freePort.ts';
import { sendRaw } from '../support/rawHttp.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestApp } from '../support/testApp.ts';
import { requireTool } from '../support/testTools.ts';
import { writeCertificate } from './certificates.ts';
import { PUBLIC_HOST, startInstance, startNginx, startSite } from './nginx.ts';

// Time limits of 10 s, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const SLOW_REQUESTS = 5_000;
const OTHER_REQUESTS = 50;
const PATIENCE_MS = 10_000;
/** The pause after which each slow request sends a little more. */
const DRIP_MS = 2_000;
/** The loopback addresses of the laptop and of the others. */
const LAPTOP = '127.0.0.2';
const PARTNER = '127.0.0.3';

const OPERATIONS = readFileSync(path.join(PROJECT_ROOT, 'docs', 'operations.md'), 'utf8');
/** The addition of docs/operations.md for a balancer in front, which is the test itself. */
const FROM_LOOPBACK_BALANCER = (/```nginx\n(set_real_ip_from[^`]*)```/.exec(OPERATIONS)?.[1] ?? '').replace(
  '192.0.2.10',
  '127.0.0.1',
);

function beginRequest(port: number, beginning: string): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write(beginning));
  // A refused one may be reset.
  socket.on('error', () => {});
  socket.resume();
  return socket;
}

const UNFINISHED_HEADER = `POST /graphql HTTP/1.1\r\nHost: ${PUBLIC_HOST}\r\n`;
const UNFINISHED_BODY = `${UNFINISHED_HEADER}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;

test('5,000 requests with slow headers from one laptop keep nobody else waiting', async () => {
  const { nginx, ask, url } = await startSite();
  const laptop = new Worker(new URL('slowHeaders.mjs', import.meta.url), {
    workerData: {
      port: nginx.port,
      localAddress: LAPTOP,
      header: UNFINISHED_HEADER,
      count: SLOW_REQUESTS,
      dripMs: DRIP_MS,
    },
  });
  onTestFinished(async () => void (await laptop.terminate()));
  await once(laptop, 'message');

  const dispatcher = new Agent({ localAddress: PARTNER, pipelining: 0, headersTimeout: PATIENCE_MS });
  onTestFinished(() => dispatcher.destroy());
  const answers = await Promise.all(
    Array.from({ length: OTHER_REQUESTS }, () =>
      ask(`${url}/`, {}, { dispatcher }).catch((error: Error) => ({ status: error.message })),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(OTHER_REQUESTS);
});

test.each(['ours', 'debian'] as const)(
  'nginx ends a request if its header or body pauses for 10 s, nginx.conf of %s',
  { timeout: 30_000 },
  async (main) => {
    const { nginx } = await startSite('', { main });
    await Promise.all(
      [UNFINISHED_HEADER, UNFINISHED_BODY].map((beginning) =>
        once(beginRequest(nginx.port, beginning), 'close'),
      ),
    );
  },
);

test('a body that comes too slowly is ended by the time of the instance', { timeout: 30_000 }, async () => {
  const app = await startTestApp({ trustProxy: 1, requestTimeoutMs: 500 });
  onTestFinished(app.close);
  const port = Number(new URL(app.url).port);
  const { nginx } = await startSite('', { instances: [port, port] });
  const { socket, answer } = await sendRaw(nginx.url, UNFINISHED_BODY);
  const drip = setInterval(() => socket.write(' '), 50);
  onTestFinished(() => clearInterval(drip));
  expect(await answer).toMatch(/^HTTP\/1\.1 408 .*BAD_REQUEST/s);
});

const LARGE_BODY = ' '.repeat(20_000);

test.each([
  ['with its length', `Content-Length: ${LARGE_BODY.length}\r\n\r\n${LARGE_BODY}`],
  [
    'in chunks',
    `Transfer-Encoding: chunked\r\n\r\n${LARGE_BODY.length.toString(16)}\r\n${LARGE_BODY}\r\n0\r\n\r\n`,
  ],
])('a body of more than 16 KiB, sent %s, is refused as by the API', async (_how, rest) => {
  const app = await startTestApp({ trustProxy: 1 });
  onTestFinished(app.close);
  const port = Number(new URL(app.url).port);
  const { nginx } = await startSite('', { instances: [port, port] });
  const { answer } = await sendRaw(
    nginx.url,
    `${UNFINISHED_HEADER}Connection: close\r\nContent-Type: application/json\r\n${rest}`,
  );
  const [header = '', body = ''] = (await answer).split('\r\n\r\n');
  expect(header).toMatch(/^HTTP\/1\.1 413 .*\r\nContent-Type: application\/graphql-response\+json\r\n/s);
  const ownAnswer = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: LARGE_BODY,
  });
  expect(JSON.parse(body)).toEqual(await ownAnswer.json());
});

test('nginx waits longer for an answer than any creation of a token takes', () => {
  const conf = readFileSync(path.join(PROJECT_ROOT, 'deploy', 'nginx.conf'), 'utf8');
  const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(conf) ?? [];
  expect(Number(seconds) * SECOND_MS).toBeGreaterThan(LONGEST_CREATION_MS);
});

test('one more than 200 requests of an IPv6 /48 is refused', async () => {
  const site = await startSite(FROM_LOOPBACK_BALANCER);
  const from = (address: string, at = '/') => site.ask(`${site.url}${at}`, { 'x-forwarded-for': address });
  const held = Array.from({ length: 200 }, (_, index) =>
    from(`2001:db8:7:${(0x100 + index).toString(16)}::1`, '/held'),
  );
  await expect.poll(() => site.held.length, { timeout: 10_000 }).toBe(200);

  expect((await from('2001:db8:7::1')).status).toBe(429);
  for (const other of ['2001:db8:8::1', '192.0.2.1']) {
    expect([other, (await from(other)).status]).toEqual([other, 200]);
  }
  for (const response of site.held) response.end();
  await Promise.all(held);
});

test('one more than 100 requests of a network is refused as by the API', async () => {
  const site = await startSite(FROM_LOOPBACK_BALANCER);
  const from = (address: string, at = '/') => site.ask(`${site.url}${at}`, { 'x-forwarded-for': address });
  // nginx writes some of them with, others without `::` in the first half.
  const held = Array.from({ length: 50 }, (_, index) => [
    from(`2001:db8:0:1::${index}`, '/held'),
    from(`2001:db8:0:1:${index + 1}:2:3:4`, '/held'),
  ]).flat();
  await expect.poll(() => site.held.length, { timeout: 10_000 }).toBe(100);

  const page = await from('2001:db8:0:1:ffff::');
  expect(page).toMatchObject({
    status: 429,
    headers: { 'retry-after': '10', 'content-type': 'text/html; charset=utf-8' },
  });
  expect(page.text).toContain('demasiadas peticiones a la vez desde tu red');
  const refused = await from('2001:db8:0:1:ffff::', '/graphql');
  expect(refused).toMatchObject({
    status: 429,
    headers: { 'retry-after': '10', 'content-type': 'application/graphql-response+json' },
  });
  expect(JSON.parse(refused.text)).toEqual({
    errors: [
      {
        message: expect.any(String),
        extensions: { code: 'RATE_LIMITED', reason: 'AT_ONCE', retryAfterSeconds: 10 },
      },
    ],
  });
  for (const other of ['2001:db8:0:2::1', '2001:db8::1', '192.0.2.1']) {
    expect([other, (await from(other)).status]).toEqual([other, 200]);
  }
  // A flood would fill the disk with them.
  expect(site.nginx.logged()).not.toContain('limiting connections');
  for (const response of site.held) response.end();
  for (const { status } of await Promise.all(held)) expect(status).toBe(200);
  expect((await from('2001:db8:0:1::1')).status).toBe(200);
});

test('nginx serves only the site’s own name', async () => {
  const { nginx, ask, url } = await startSite();
  for (const host of ['127.0.0.1', '[::1]']) {
    const address = `http://${host}:${nginx.port}/`;
    expect(await ask(address, { host: PUBLIC_HOST })).toMatchObject({
      status: 200,
      headers: { server: 'nginx' },
    });
    for (const other of ['other.example', '192.0.2.1', `${PUBLIC_HOST}.other.example`]) {
      await expect(ask(address, { host: other })).rejects.toThrow('other side closed');
    }
  }
  const refused = await ask(`${url}/healthz`);
  expect(`${refused.headers.server}${refused.text}`).not.toMatch(/\d\.\d/);
});

test('nginx answers health checks of the machine itself alone', async () => {
  const { url, ask } = await startSite();
  for (const check of ['/healthz', '/readyz']) {
    for (const spelling of [check, check.replace('z', '%7a'), `${check}?a`]) {
      expect([spelling, (await ask(`${url}${spelling}`)).status]).toEqual([spelling, 404]);
    }
    expect(await ask(`${url}${check}`, { host: 'localhost' })).toMatchObject({ status: 200 });
    const dispatcher = new Agent({ localAddress: PARTNER });
    onTestFinished(() => dispatcher.destroy());
    expect(await ask(`${url}${check}`, { host: 'localhost' }, { dispatcher })).toMatchObject({ status: 403 });
  }
  expect(await ask(`${url}/graphql`, { host: 'localhost' })).toMatchObject({ status: 404 });
});

test('nginx serves the site by the public name localhost too', async () => {
  const { url, ask } = await startSite('', { publicHost: 'localhost' });
  expect(await ask(url, { host: 'localhost:8080' })).toMatchObject({ status: 200, text: 'http' });
});

test('nginx under Debian’s own nginx.conf keeps players’ keys out of its logs', async () => {
  const key = 'aop_live_canary';
  const byHttp = 'if ($uri ~ ^/live/.*-by-http$) { return 403; }';
  const { nginx, url, ask } = await startSite(byHttp, { main: 'debian' });
  expect(await ask(`${url}/live/${key}`)).toMatchObject({ status: 200 });
  expect(await ask(`${url}/live/${key}-by-http`)).toMatchObject({ status: 403 });
  await expect(ask(`${url}/live/${key}`, { host: '192.0.2.1' })).rejects.toThrow('other side closed');
  expect(await ask(`${url}/live/${key}`, { host: 'localhost' })).toMatchObject({ status: 404 });

  const nobody = await freePort();
  const alone = await startNginx([nobody, nobody], '', { main: 'debian' });
  await expect
    .poll(() => ask(`${alone.url}/live/${key}`).catch(() => null), { timeout: 10_000 })
    .toMatchObject({ status: 502 });
  expect(await ask(`${alone.url}/page`)).toMatchObject({ status: 502 });
  await expect.poll(alone.logged).toContain('/page');
  expect(nginx.logged() + alone.logged()).not.toContain(key);
});

test.each(['http', 'https'])(
  'misdirected requests for a player’s address leave no log by %s',
  async (scheme) => {
    const loggedPort = await freePort();
    const site = `server { listen 127.0.0.1:${loggedPort}; return 204; }`;
    const { nginx } = await startSite(httpsAddition(), { main: 'debian', site });
    const target = '/live/aop_live_canary';
    const end = 'Connection: close\r\n\r\n';

    async function send(port: number, request: string): Promise<void> {
      // An address from which the operator's own checks are refused.
      const where = { port, host: '127.0.0.1', localAddress: PARTNER };
      const socket =
        scheme === 'https' && port !== loggedPort
          ? connectTls({ ...where, servername: PUBLIC_HOST, rejectUnauthorized: false })
          : connect(where);
      socket.on('error', () => {});
      socket.resume();
      socket.write(request);
      await once(socket, 'close');
    }

    for (const request of [
      `GET ${target} HTTP/1.0\r\n\r\n`,
      `GET ${target} HTTP/1.1\r\nHost: other.example\r\n${end}`,
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${end}`,
      `GET ${target} HTTP/1.1\r\n${end}`,
      `GET http://other.example${target} HTTP/1.1\r\nHost: ${PUBLIC_HOST}\r\n${end}`,
    ]) {
      await send(scheme === 'http' ? nginx.port : nginx.httpsPort, request);
    }
    await send(loggedPort, `GET /logged HTTP/1.1\r\nHost: other.example\r\n${end}`);
    await expect.poll(nginx.logged).toContain('/logged');
    expect(nginx.logged()).not.toContain('aop_live_canary');
  },
);

function httpsAddition(): string {
  const tls = temporaryFolder({ '.well-known/acme-challenge/proof': 'ours' });
  writeCertificate(tls, 1);
  execFileSync('chmod', ['-R', 'a+rX', tls]);
  return readFileSync(path.join(PROJECT_ROOT, 'deploy', 'nginx-https.conf'), 'utf8')
    .replaceAll('/etc/audio/tls', tls)
    .replace('/var/www/acme', tls);
}

test('deploy/nginx-https.conf opens the API over https alone', async () => {
  const { nginx, url, ask } = await startSite(httpsAddition());
  const host = { host: PUBLIC_HOST };

  expect(await ask(`${url}/dashboard?a=b`, host)).toMatchObject({
    status: 301,
    headers: { location: `https://${PUBLIC_HOST}/dashboard?a=b` },
  });
  expect(await ask(`${url}/assets/logo.svg`, host)).toMatchObject({ status: 301 });
  expect(await ask(`${url}/graphql`, host)).toMatchObject({ status: 403 });
  expect(await ask(`${url}/live/aop_live_canary`, host)).toMatchObject({ status: 403 });
  expect(await ask(`${url}/readyz`, { host: 'localhost' })).toMatchObject({ status: 200 });
  expect(await ask(`${url}/.well-known/acme-challenge/proof`, host)).toMatchObject({
    status: 200,
    text: 'ours',
  });
  for (const address of ['127.0.0.1', '::1']) {
    const https = `https://${address === '::1' ? '[::1]' : address}:${nginx.httpsPort}/dashboard`;
    expect(await ask(https, host)).toMatchObject({ status: 200, text: 'https' });
    expect(await ask(https.replace('dashboard', 'graphql'), host)).toMatchObject({ status: 200 });
    for (const servername of ['other.example', undefined]) {
      const stranger = connectTls({
        port: nginx.httpsPort,
        host: address,
        servername,
        rejectUnauthorized: false,
      });
      await expect(once(stranger, 'secureConnect')).rejects.toThrow('unrecognized name');
    }
  }
});

test('http on port 443 is redirected to https, but not the API', async () => {
  const { nginx, ask } = await startSite(httpsAddition());
  const url = `http://127.0.0.1:${nginx.httpsPort}`;
  const host = { host: PUBLIC_HOST };
  for (const method of ['GET', 'HEAD'] as const) {
    expect(await ask(`${url}/dashboard?a=b%3f`, host, { method })).toMatchObject({
      status: 301,
      headers: { location: `https://${PUBLIC_HOST}/dashboard?a=b%3f` },
    });
  }
  expect(await ask(`${url}/graphql`, host, { method: 'POST', body: '{}' })).toMatchObject({ status: 403 });
  expect(await ask(`${url}/live/aop_live_canary`, host)).toMatchObject({ status: 403 });
  expect(nginx.logged()).not.toContain('aop_live_canary');
});

test.each(['http', 'https'])('a request of HTTP/1.0 without Host is served by %s', async (scheme) => {
  const { nginx, url } = await startSite(scheme === 'https' ? httpsAddition() : '');
  const ask = async (tls: boolean, path: string) => {
    const request = `GET ${path} HTTP/1.0\r\n\r\n`;
    if (!tls) return (await sendRaw(url, request)).answer;
    const where = { port: nginx.httpsPort, host: '127.0.0.1', servername: PUBLIC_HOST };
    const socket = connectTls({ ...where, rejectUnauthorized: false }).on('error', () => {});
    socket.write(request);
    return text(socket);
  };
  expect(await ask(scheme === 'https', '/')).toMatch(new RegExp(`^HTTP/1.1 200 .*\r\n\r\n${scheme}$`, 's'));
  if (scheme === 'http') return;
  expect(await ask(false, '/a?b')).toMatch(
    new RegExp(`^HTTP/1.1 301 .*\r\nLocation: https://${PUBLIC_HOST}/a\\?b\r\n`, 's'),
  );
  expect(await ask(false, '/live/aop_live_canary')).toMatch(/^HTTP\/1.1 403 /);
});

test('cookies of 12 kB reach the instance, more are refused with what to delete', async () => {
  const app = await startTestApp({ trustProxy: 1 });
  onTestFinished(app.close);
  const port = Number(new URL(app.url).port);
  const { url, ask } = await startSite('', { instances: [port, port] });
  const browser = {
    'user-agent':
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36',
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
    'content-type': 'application/json',
    referer: `https://${PUBLIC_HOST}/dashboard`,
  };
  const post = { method: 'POST', body: '{"query":"{ session { id } }"}' } as const;
  const cookies = (bytes: number) => ({ ...browser, cookie: `a=${'x'.repeat(bytes - 2)}` });
  for (const bytes of [9_000, 12_288]) {
    const answer = await ask(`${url}/graphql`, cookies(bytes), post);
    expect([bytes, answer.status, answer.text]).toEqual([bytes, 200, '{"data":{"session":null}}\n']);
  }
  for (const bytes of [16_000, 40_000]) {
    const refused = await ask(`${url}/graphql`, cookies(bytes), post);
    expect([bytes, refused.status, refused.headers['content-type']]).toEqual([
      bytes,
      431,
      'application/graphql-response+json',
    ]);
    expect(JSON.parse(refused.text)).toEqual({
      errors: [
        {
          message: expect.stringContaining('cookies'),
          extensions: { code: 'BAD_REQUEST', reason: 'HEADER_TOO_LARGE' },
        },
      ],
    });
    for (const path of ['/', '/dashboard']) {
      const page = await ask(url + path, cookies(bytes));
      expect([path, page.status, page.headers['content-type'], page.headers['cache-control']]).toEqual([
        path,
        431,
        'text/html; charset=utf-8',
        'no-store',
      ]);
      expect(page.text).toMatch(/<html lang="es">.*Borra las cookies/s);
    }
  }
});

describe('a public name of 253 letters', () => {
  const name = [...Array(4).fill('a'.repeat(59)), PUBLIC_HOST].join('.');
  const edit = `sed -i 's/${PUBLIC_HOST}/${name}/'`;

  test('is served under nginx-main.conf', async () => {
    const { url, ask } = await startSite('', { edit });
    expect(await ask(url, { host: name })).toMatchObject({ status: 200 });
  });
});

test.each(['http', 'https'])('a hardened nginx.conf changes nothing for partners by %s', async (scheme) => {
  const instance = await startInstance(({ url, headers }, response) =>
    response.end(`${url} ${headers.cookie?.length}`),
  );
  const { nginx, url, ask } = await startSite(scheme === 'https' ? httpsAddition() : '', {
    main: 'debian',
    instances: [instance, instance],
  });
  const site = scheme === 'https' ? `https://127.0.0.1:${nginx.httpsPort}` : url;
  const host = { host: PUBLIC_HOST };
  expect(await ask(`${site}/`, { ...host, cookie: 'x'.repeat(12_288) })).toMatchObject({
    status: 200,
    text: '/ 12288',
    headers: { server: 'nginx' },
  });
  expect(await ask(`${site}//healthz`, host)).toMatchObject({ status: 404 });
  const body = ' '.repeat(16_000);
  expect(await ask(`${site}/graphql`, host, { method: 'POST', body })).toMatchObject({ status: 200 });
});

test.each([
  [400, 'no entendió', 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nno name\r\n\r\n'],
  [400, 'no entendió', 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: much\r\n\r\n'],
  [
    413,
    'más datos',
    `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 17000\r\n\r\n${' '.repeat(17_000)}`,
  ],
])('a partner reads in Spanish why a page is refused with %i', async (status, text, request) => {
  const { url } = await startSite();
  const { answer } = await sendRaw(url, request);
  const [header = '', body = ''] = (await answer).split('\r\n\r\n');
  expect(header).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*Content-Type: text/html; charset=utf-8`, 's'));
  expect(header).toContain('Cache-Control: no-store');
  expect(body).toMatch(new RegExp(`<html lang="es">.*${text}`));
});

test('a partner reads in Spanish that no instance answers', async () => {
  const dying = await startInstance((incoming, response) => {
    if (incoming.url === '/readyz') response.end();
    else response.destroy();
  });
  const { url, ask } = await startSite('', { instances: [dying, dying] });
  const page = await ask(`${url}/dashboard`);
  expect([page.status, page.headers['content-type']]).toEqual([502, 'text/html; charset=utf-8']);
  expect(page.text).toContain('El servicio no responde');
});

/** The directives that a server which hands on to the instances must state, so that no version's default decides. */
const STATED = [
  'proxy_http_version 1.1',
  'proxy_set_header Connection ""',
  'proxy_set_header Host $asked_host',
  'proxy_buffering on',
  'proxy_intercept_errors off',
  'proxy_connect_timeout 1s',
  'proxy_read_timeout 20s',
];
/** The same, for every server: `http` has them not, since an installation's own nginx.conf may, and nginx takes one only. */
const STATED_BY_ALL = [
  'server_tokens off',
  'client_header_timeout 10s',
  'client_body_timeout 10s',
  'client_header_buffer_size 1k',
  'large_client_header_buffers 1 14k',
  'merge_slashes on',
];

test('each server states every directive on which it relies', () => {
  const conf = readFileSync(path.join(PROJECT_ROOT, 'deploy', 'nginx.conf'), 'utf8');
  const documented = [...OPERATIONS.matchAll(/^```nginx\n([^`]*)```/gm)].map(([, block = '']) => block);
  const servers = [conf, ...documented].flatMap((file) => file.match(/^server \{\n(?:.*\n)*?\}$/gm) ?? []);
  const proxying = servers.filter((server) => server.includes('proxy_pass'));
  expect(proxying).toHaveLength(3);
  for (const server of proxying) {
    const missing = STATED.filter((directive) => !server.includes(`    ${directive};`));
    const redirect = /^ +proxy_redirect /m.test(server) ? [] : ['proxy_redirect'];
    expect([...missing, ...redirect, server.slice(0, 200)]).toEqual([server.slice(0, 200)]);
  }
  expect(servers).toHaveLength(5);
  for (const server of servers) {
    const missing = STATED_BY_ALL.filter((directive) => !server.includes(`    ${directive};`));
    expect([...missing, server.slice(0, 200)]).toEqual([server.slice(0, 200)]);
  }
});

test('a request whose instance dies under way is asked of the other', async () => {
  const dying = await startInstance(({ method, socket }, response) =>
    method === 'POST' ? socket.destroy() : response.end(),
  );
  const living = await startInstance((_request, response) => response.end('created'));
  const { url, ask } = await startSite('', { instances: [dying, living] });
  for (let turn = 0; turn < 4; turn += 1) {
    expect(await ask(`${url}/graphql`, {}, { method: 'POST', body: '{}' })).toMatchObject({
      status: 200,
      text: 'created',
    });
  }
});

test('during an upgrade the files of both versions are found', async () => {
  const having = (file: string) =>
    startInstance(({ url = '' }, response) => {
      response.writeHead(url === file || !url.startsWith('/assets/') ? 200 : 404).end();
    });
  const instances = await Promise.all([having('/assets/old.js'), having('/assets/new.js')]);
  const { url, ask } = await startSite('', { instances });
  for (const [file, status] of Object.entries({ old: 200, new: 200, none: 404 })) {
    for (let turn = 0; turn < 4; turn += 1) {
      expect([file, (await ask(`${url}/assets/${file}.js`)).status]).toEqual([file, status]);
    }
  }
});

test.each([
  ['nobody', undefined, 'http'],
  ['a balancer set up as in docs/operations.md', FROM_LOOPBACK_BALANCER, 'https, http'],
])('X-Forwarded-Proto counts from %s, X-Forwarded-Host never', async (_whom, addition, forwarded) => {
  const { url, ask } = await startSite(addition);
  const said = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'other.example' };
  expect(await ask(url, said)).toMatchObject({ text: forwarded });
});

describe('on a kernel without IPv6', () => {
  const runner = [requireTool('python3'), path.join(import.meta.dirname, 'withoutIpv6.py')];
  const [, edit = 'false'] = /`(sed -i '[^`]*::[^`]*') deploy\/nginx\*\.conf`/.exec(OPERATIONS) ?? [];

  test('nginx serves with the lines taken out that docs/operations.md names', async () => {
    const { ask, nginx } = await startSite(httpsAddition(), { runner, edit });
    const https = `https://127.0.0.1:${nginx.httpsPort}/`;
    expect(await ask(https, { host: PUBLIC_HOST })).toMatchObject({ status: 200, text: 'https' });
  });
});

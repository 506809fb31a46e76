import { networkInterfaces } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import {
  DEMO_PROVIDER_SECRET,
  type DemoProviderOptions,
  startDemoProvider,
} from '../../../server/demo/demoProvider.ts';
import { BURST_BYTES } from '../../../server/demo/liveStream.ts';
import { formatServerTime, signToken } from '../../../server/demo/wmsAuthSign.ts';
import { tokenFromProviderPage } from '../../../server/streamTokens/providerHtml.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';

const BYTES_PER_SECOND = 12_000;

async function start(options: Partial<DemoProviderOptions> = {}) {
  const provider = await startDemoProvider({ host: '127.0.0.1', port: 0, ...options });
  onTestFinished(() => provider.close());
  return provider;
}

async function signedUrl(tokenUrl: string): Promise<string> {
  const page = await (await fetch(tokenUrl)).text();
  const url = /<a [^>]*href="([^"]*wmsAuthSign=[^"]+)"/.exec(page)?.[1];
  if (url === undefined) throw new Error('The page has no signed link');
  return url;
}

async function statusOf(url: string, init?: RequestInit): Promise<number> {
  const response = await fetch(url, init);
  await response.body?.cancel();
  return response.status;
}

test('the secure audio endpoint answers a page with a link that opens the stream', async () => {
  const { tokenUrl, streamBaseUrl } = await start({ clock: () => Date.UTC(2025, 6, 4, 15, 5, 9) });
  const { headers } = await fetch(tokenUrl);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(streamBaseUrl).toMatch(/\/mp3\/icecast\.audio\?wmsAuthSign=$/);

  const [first = '', second] = [await signedUrl(tokenUrl), await signedUrl(tokenUrl)];
  expect(first.startsWith(streamBaseUrl)).toBe(true);
  expect(Buffer.from(first.slice(streamBaseUrl.length), 'base64').toString()).toMatch(
    /^server_time=7\/4\/2025 3:05:09 PM&hash_value=[A-Za-z0-9+/]{22}==&validminutes=20&id=[0-9a-f-]{36}$/,
  );
  expect(second).not.toBe(first);
});

test('the secure audio endpoint links to the configured stream', async () => {
  const { tokenUrl } = await start({ linkBaseUrl: 'https://stream.example/live?a=1&zz=' });
  const page = await (await fetch(tokenUrl)).text();
  expect(tokenFromProviderPage(page, 'zz')).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
});

test('the stream is an MP3 without a length', async () => {
  const provider = await start();
  const url = await signedUrl(provider.tokenUrl);
  expect(await statusOf(url, { method: 'HEAD' })).toBe(200);
  expect(provider.listenerCount).toBe(0);
  const { headers, body } = await fetch(url, { headers: { Range: 'bytes=0-', 'Icy-MetaData': '1' } });
  await body?.cancel();
  expect(Object.fromEntries(headers)).toEqual({
    'access-control-allow-origin': '*',
    'accept-ranges': 'none',
    'cache-control': 'no-store',
    connection: 'close',
    'content-type': 'audio/mpeg',
    date: expect.any(String),
    'icy-br': '96',
    'icy-metaint': '16000',
    'icy-name': 'Audio Oficial Premium',
    'icy-pub': '0',
  });
});

test('a token is checked when a connection opens', async () => {
  let nowMs = Date.UTC(2025, 6, 4, 15, 5, 9);
  const { tokenUrl } = await start({ clock: () => nowMs });
  const url = await signedUrl(tokenUrl);
  nowMs += 20 * MINUTE_MS;
  const { body } = await fetch(url);
  nowMs += 1;
  const { status, headers } = await fetch(url);
  expect([status, headers.get('access-control-allow-origin')]).toEqual([403, '*']);
  const reader = body?.getReader();
  let bytesHeard = 0;
  while (bytesHeard < BURST_BYTES + BYTES_PER_SECOND) {
    bytesHeard += (await reader?.read())?.value?.length ?? Number.NaN;
  }
  await reader?.cancel();
  expect(bytesHeard).not.toBeNaN();
});

test('a token may stand between other parameters', async () => {
  const { streamBaseUrl } = await start();
  const terms = { serverTime: formatServerTime(Date.now()), validMinutes: 20 };
  const tokens = ['~', '~~', '~~~'].map((id) => signToken(DEMO_PROVIDER_SECRET, { ...terms, id }));
  const token = tokens.find((candidate) => candidate.includes('+')) ?? '';
  expect(token).toContain('+');
  for (const url of [`${streamBaseUrl}${token}&a=b`, streamBaseUrl.replace('?', '?a=b&') + token]) {
    expect(await statusOf(url), url).toBe(200);
  }
});

test('requests for anything else are refused', async () => {
  const { tokenUrl } = await start();
  for (const path of ['/', '/secure/audio/']) {
    expect(await statusOf(new URL(path, tokenUrl).href), path).toBe(404);
  }
});

test('the demo’s provider listens on another port when the preferred one is taken', async () => {
  const taken = await start();
  const port = Number(new URL(taken.tokenUrl).port);
  const elsewhere = await start({ port });
  expect(elsewhere.tokenUrl).not.toContain(`:${port}/`);
  await taken.close();
  expect((await start({ port })).tokenUrl).toContain(`:${port}/`);
});

test('the demo’s provider on all addresses gives the stream one that others reach', async () => {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
  const { tokenUrl, streamBaseUrl } = await start({ host: '0.0.0.0' });
  expect(new URL(tokenUrl).hostname).toBe('127.0.0.1');
  expect(new URL(streamBaseUrl).hostname).toBe(outside[0] ?? '127.0.0.1');
  expect(await statusOf(await signedUrl(tokenUrl))).toBe(200);
});

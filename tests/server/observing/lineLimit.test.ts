import pino from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLineLimit } from '../../../server/observing/lineLimit.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { sendRaw } from '../../support/rawHttp.ts';
import { ACCOUNT, LOGIN, provideTestApp } from '../../support/testApp.ts';

const FLOODER = '203.0.113.7';
const OTHER = '203.0.113.8';
const limited = { trustProxy: 1, maxLinesPerMinute: 2 };
const app = provideTestApp(limited);
const withoutDatabase = provideTestApp({ ...limited, databaseUrl: 'postgresql://nobody@127.0.0.1:1/none' });

test('requests of a network beyond its limit have no line, those of others have', async () => {
  const ask = async (address: string) => {
    const response = await fetch(`${app.url}/otra`, { headers: { 'x-forwarded-for': address } });
    await response.text();
    return response.headers.get('x-request-id');
  };
  for (let request = 0; request < 5; request += 1) await ask(FLOODER);
  await app.logged(await ask(OTHER));

  expect(addressesIn(app.logLines)).toEqual([FLOODER, FLOODER, OTHER]);
});

test('bytes that are not HTTP have no line beyond the limit', async () => {
  for (let request = 0; request < 5; request += 1) await (await sendRaw(app.url, 'canary\r\n\r\n')).answer;

  expect(addressesIn(app.logLines).filter((address) => address === '127.0.0.1')).toHaveLength(2);
});

test('failures of requests beyond the limit are not logged', async () => {
  const body = JSON.stringify({ query: LOGIN, variables: ACCOUNT });
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': FLOODER };
  for (let request = 0; request < 5; request += 1) {
    const response = await fetch(`${withoutDatabase.url}/graphql`, { method: 'POST', headers, body });
    expect(await response.text()).toContain('DATABASE_UNAVAILABLE');
  }

  const messages = withoutDatabase.logLines.map((line) => JSON.parse(line).msg);
  expect(messages.filter((message) => message === 'failed')).toHaveLength(2);
});

test('after a minute a line says how many were left out, and all have lines again', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const limit = createLineLimit(
    pino({ base: null, timestamp: false }, { write: (line) => lines.push(line) }),
    2,
  );
  const networks = ['2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1:3::1', OTHER];

  expect(networks.map((address) => limit.allows(address))).toEqual([true, true, false, true]);
  vi.advanceTimersByTime(MINUTE_MS);

  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 30, network: '2001:db8:1::/48', leftOut: 1, msg: 'requests without a line' },
  ]);
  expect(limit.allows('2001:db8:1:1::1')).toBe(true);
  limit.close();
  expect(lines).toHaveLength(1);
});

function addressesIn(lines: string[]): string[] {
  return lines.map((line) => JSON.parse(line).address).filter((address) => address !== undefined);
}

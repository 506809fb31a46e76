import { expect, onTestFinished, test } from 'vitest';
import { openDemo } from '../../../server/demo/demo.ts';

/** A loopback address that no other test uses, where the demo's usual port is free. */
const HOST = '127.0.0.9';
const GIVEN = { databaseUrl: 'postgresql://nobody@127.0.0.9/none', jwtSecret: 'x'.repeat(32) };

async function providerPort(appPort: number): Promise<string> {
  const closers: Array<() => Promise<unknown>> = [];
  onTestFinished(async () => {
    for (const close of closers) await close();
  });
  const demo = await openDemo(GIVEN, {
    host: HOST,
    appPort,
    onClose: (close) => void closers.push(close),
  });
  return new URL(demo.external.providerTokenUrl).port;
}

test('the demo’s provider listens where Icecast servers do', async () => {
  expect(await providerPort(4000)).toBe('8000');
});

test('the demo’s provider leaves that port to the app when it is the app’s', async () => {
  expect(await providerPort(8000)).not.toBe('8000');
});

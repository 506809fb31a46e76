import { expect, onTestFinished, test } from 'vitest';
import { openDemo } from '../../../server/demo/demo.ts';

/** A loopback address that no other test uses, where the demo's usual port is free. */
const HOST = '127.0.0.9';
const GIVEN = { databaseUrl: 'postgresql://nobody@127.0.0.9/none', jwtSecret: 'x'.repeat(32) };

async function demoFor(appPort: number) {
  const onClose = (close: () => Promise<unknown>) => onTestFinished(async () => void (await close()));
  return openDemo(GIVEN, { host: HOST, appPort, onClose });
}

async function providerPort(appPort: number): Promise<string> {
  return new URL((await demoFor(appPort)).settings.providerTokenUrl).port;
}

test('the demo’s provider listens on 8000 unless the app does', async () => {
  expect(await providerPort(8000)).not.toBe('8000');
  expect(await providerPort(4000)).toBe('8000');
});

test('the demo keeps what is given', async () => {
  expect((await demoFor(4000)).settings).toMatchObject(GIVEN);
});

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { demoJwtSecret, openDemo } from '../../../server/demo/demo.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

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

test('the secret is kept where only its user can read it', async () => {
  const folder = temporaryFolder();
  const secret = await demoJwtSecret(folder);
  expect(Buffer.byteLength(secret)).toBeGreaterThanOrEqual(32);
  expect(await demoJwtSecret(folder)).toBe(secret);
  expect((await stat(path.join(folder, 'jwt-secret'))).mode & 0o777).toBe(0o600);
});

test('parallel starts in a new folder get the same secret', async () => {
  const fresh = path.join(temporaryFolder(), 'data');
  const secrets = await Promise.all(Array.from({ length: 50 }, () => demoJwtSecret(fresh)));
  expect(new Set(secrets).size).toBe(1);
});

test('a file that was cut short is refused', async () => {
  await expect(demoJwtSecret(temporaryFolder({ 'jwt-secret': 'short\n' }))).rejects.toThrow('is not whole');
});

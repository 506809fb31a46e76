import { stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { demoJwtSecret } from '../../../server/demo/demoSecret.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

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

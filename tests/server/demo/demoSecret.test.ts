import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { demoJwtSecret } from '../../../server/demo/demoSecret.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'demo-secret-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('the secret is long enough, kept, and readable by its user alone', async () => {
  const secret = await demoJwtSecret(folder);
  expect(Buffer.byteLength(secret)).toBeGreaterThanOrEqual(32);
  expect(await demoJwtSecret(folder)).toBe(secret);
  expect((await stat(path.join(folder, 'jwt-secret'))).mode & 0o777).toBe(0o600);
});

test('those who come at once, to a folder that is not there yet, get the same whole secret', async () => {
  const fresh = path.join(folder, 'data');
  const secrets = await Promise.all(Array.from({ length: 50 }, () => demoJwtSecret(fresh)));
  expect(new Set(secrets).size).toBe(1);
});

test.each([
  ['nothing', ''],
  ['too little', 'short\n'],
])('a file with %s in it signs nothing', async (_name, content) => {
  await writeFile(path.join(folder, 'jwt-secret'), content);
  await chmod(path.join(folder, 'jwt-secret'), 0o600);
  await expect(demoJwtSecret(folder)).rejects.toThrow('is not whole');
});

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { leaksIn, plainCanary } from '../support/canaries.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const SECRET_VARIABLES = [
  'DATABASE_URL',
  'JWT_SECRET',
  'DATABASE_DIRECT_URL',
  'JWT_SECRET_PREVIOUS',
  'PROVIDER_TOKEN_URL',
  'STREAM_BASE_URL',
  'FIREBASE_CONFIG',
  'VITE_JWT_SECRET',
];

test('nothing of the environment that the client is built in gets into its files or source maps', async () => {
  const secrets = Object.fromEntries(SECRET_VARIABLES.map((name) => [name, plainCanary()]));
  const folder = temporaryFolder();
  const vite = path.join(PROJECT_ROOT, 'node_modules/vite/bin/vite.js');
  await promisify(execFile)(
    process.execPath,
    [vite, 'build', '--outDir', folder, '--emptyOutDir', '--sourcemap'],
    {
      cwd: PROJECT_ROOT,
      env: { PATH: process.env.PATH, NODE_ENV: 'production', ...secrets },
    },
  );
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map((file) => path.join(file.parentPath, file.name));
  expect(paths.filter((file) => file.endsWith('.js.map')).length).toBeGreaterThan(0);
  for (const file of paths) {
    expect(leaksIn(await readFile(file, 'latin1'), secrets), file).toEqual([]);
  }
});

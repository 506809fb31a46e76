import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { precompress } from '../../scripts/precompress.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('only text files are compressed', async () => {
  const page = '<p>Audio Oficial Premium</p>'.repeat(100);
  const folder = temporaryFolder({ 'index.html': page, 'assets/a.js': 'let ñ;', 'assets/photo.png': 'png' });

  await precompress(folder);

  expect(readdirSync(folder, { recursive: true }).sort()).toEqual([
    'assets',
    'assets/a.js',
    'assets/a.js.br',
    'assets/a.js.gz',
    'assets/photo.png',
    'index.html',
    'index.html.br',
    'index.html.gz',
  ]);
  expect(brotliDecompressSync(readFileSync(path.join(folder, 'index.html.br'))).toString()).toBe(page);
  expect(gunzipSync(readFileSync(path.join(folder, 'assets/a.js.gz'))).toString()).toBe('let ñ;');
});

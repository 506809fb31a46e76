import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../server/config/folders.ts';

const versions = z.record(z.string(), z.string());
const manifest = z
  .object({
    dependencies: versions,
    devDependencies: versions,
    overrides: z.record(z.string(), z.union([z.string(), versions])),
  })
  .parse(JSON.parse(read('package.json')));
const { packages } = z
  .object({
    packages: z.record(
      z.string(),
      z.looseObject({
        integrity: z.string().optional(),
        license: z.string().optional(),
        dev: z.boolean().default(false),
        devOptional: z.boolean().default(false),
      }),
    ),
  })
  .parse(JSON.parse(read('package-lock.json')));
const locked = Object.entries(packages).filter(([place]) => place !== '');

const EXACT = /^\d+\.\d+\.\d+(-[\w.-]+)?$/;
const FREE_LICENCES = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'BlueOak-1.0.0'];

test('the server runs nothing but what is freely licensed', () => {
  const others = locked.filter(([, { license = 'none', dev, devOptional }]) => {
    const licences = license.replaceAll(/[()]/g, '').split(/ AND | OR /);
    return !dev && !devOptional && !licences.every((licence) => FREE_LICENCES.includes(licence));
  });
  expect(others).toEqual([]);
});

test('versions are exact', () => {
  const { dependencies, devDependencies, overrides } = manifest;
  const asked = Object.values({ ...dependencies, ...devDependencies, ...overrides }).flatMap((version) =>
    typeof version === 'string' ? version : Object.values(version),
  );
  expect(asked.filter((version) => !EXACT.test(version))).toEqual([]);
});

test('package-lock.json names no address, and the hash of every package', () => {
  expect(locked.filter(([, entry]) => 'resolved' in entry || 'link' in entry)).toEqual([]);
  expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
});

function read(file: string): string {
  return readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
}

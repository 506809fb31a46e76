import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { broughtBy, locked, nameAt, placeOf } from '../support/lockedPackages.ts';

const versions = z.record(z.string(), z.string());
const manifest = z
  .object({
    dependencies: versions,
    devDependencies: versions,
    overrides: z.record(z.string(), z.union([z.string(), versions])),
    allowScripts: z.record(z.string(), z.boolean()),
  })
  .parse(readJson('package.json'));
const page = read('docs/dependencies.md');

const EXACT = /^\d+\.\d+\.\d+(-[\w.-]+)?$/;
const FREE_LICENCES = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'BlueOak-1.0.0'];

describe('docs/dependencies.md', () => {
  test('gives a reason for every dependency of the server, with what it brings and its licence', () => {
    expect(rowsUnder('What the server runs')).toEqual(
      Object.keys(manifest.dependencies).map((name) => [
        name,
        expect.stringMatching(/\w/),
        String(broughtBy([name]).size - 1),
        licenceOf(name),
      ]),
    );
  });

  test('gives a reason for every package that is bundled, builds or tests, with its licence', () => {
    const rows = [...rowsUnder('What is bundled into the page'), ...rowsUnder('What builds and tests')];
    expect(rows.toSorted()).toEqual(
      Object.keys(manifest.devDependencies).map((name) => [
        name,
        expect.stringMatching(/\w/),
        licenceOf(name),
      ]),
    );
  });

  test('says how many packages the server runs', () => {
    expect(page).toContain(`comes to ${broughtBy(Object.keys(manifest.dependencies)).size} packages`);
  });
});

test('the server runs nothing but what is freely licensed', () => {
  const packages = [...broughtBy(Object.keys(manifest.dependencies))];
  const others = packages.filter((place) => {
    const licences = (locked[place]?.license ?? 'none').replaceAll(/[()]/g, '').split(/ AND | OR /);
    return !licences.every((licence) => FREE_LICENCES.includes(licence));
  });
  expect(others).toEqual([]);
});

test('versions are exact', () => {
  const { dependencies, devDependencies, overrides } = manifest;
  const asked = [dependencies, devDependencies, overrides].flatMap((group) =>
    Object.values(group).flatMap((version) =>
      typeof version === 'string' ? version : Object.values(version),
    ),
  );
  expect(asked.filter((version) => !EXACT.test(version))).toEqual([]);
});

test('a package with an install script is allowed or refused by name, and no other is named', () => {
  const withScript = Object.entries(locked)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([place]) => nameAt(place));
  expect([...new Set(withScript)].toSorted()).toEqual(Object.keys(manifest.allowScripts).toSorted());
});

describe('package-lock.json', () => {
  const packages = Object.entries(locked).filter(([place]) => place !== '');

  test('names no address, and the hash of every package', () => {
    expect(packages.filter(([, entry]) => 'resolved' in entry || 'link' in entry)).toEqual([]);
    expect(packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });

  test('holds what each package needs, the binaries of every platform among them', () => {
    const missing = packages.flatMap(([place, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => placeOf(name, place) === undefined)
        .map((name) => `${name} of ${place}`),
    );
    expect(missing).toEqual([]);
  });
});

function licenceOf(name: string): string | undefined {
  return locked[`node_modules/${name}`]?.license;
}

/** The table's rows as texts, without its head; names lose their backquotes. */
function rowsUnder(heading: string): string[][] {
  const section = page.split('\n## ').find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell, index) => (index === 0 ? cell.replaceAll('`', '') : cell).trim()));
}

function readJson(file: string): unknown {
  return JSON.parse(read(file));
}

function read(file: string): string {
  return readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
}

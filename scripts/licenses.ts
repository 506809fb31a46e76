import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';
import { PROJECT_ROOT } from '../server/config/folders.ts';

/** An entry of Vite's list of the packages in a bundle. `text` is that of the package's licence file, if it has one. */
export type BundledPackage = { name: string; version: string; identifier?: string; text?: string };

const LIST = 'licenses.json';
const TEXT = 'licenses.txt';
const OURS = read('LICENSE');
/** The texts of licences that packages name without a file of their own. */
const STANDARD_TEXTS: Record<string, (author: string) => string> = {
  MIT: (author) => OURS.replace(/^Copyright .*$/m, `Copyright (c) ${author}`),
  'Apache-2.0': () => read('node_modules/@prisma/client/LICENSE'),
};

export const licenses: Plugin = {
  name: 'licenses',
  apply: 'build',
  config: () => ({ build: { license: { fileName: LIST } } }),
  writeBundle({ dir = '' }) {
    const list = path.join(dir, LIST);
    writeFileSync(path.join(dir, TEXT), licensesText(JSON.parse(readFileSync(list, 'utf8'))));
    rmSync(list);
  },
};

/** @throws {Error} when a package has no licence text, and names no licence whose text is known */
export function licensesText(packages: BundledPackage[]): string {
  const parts = packages.map((bundled) => `${bundled.name} ${bundled.version}\n\n${textOf(bundled)}`);
  return `${[OURS, ...parts].map((part) => part.trim()).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function textOf({ name, version, identifier = 'none', text }: BundledPackage): string {
  if (text) return text;
  const standard = STANDARD_TEXTS[identifier];
  if (!standard) throw new Error(`${name} ${version} has no licence file, and its licence is ${identifier}`);
  return standard(authorOf(name));
}

function authorOf(name: string): string {
  const { author } = JSON.parse(read(`node_modules/${name}/package.json`));
  return author?.name ?? author ?? `the authors of ${name}`;
}

function read(file: string): string {
  return readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
}

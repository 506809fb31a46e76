import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(path.join(PROJECT_ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.join('docs', file)),
];

const FILE_OF_CODE = /\b(?:bench|client|scripts|server|shared|tests)\/[\w/.-]+\.(?:tsx?|mjs)\b/g;

test('pages link only to files and headings that exist', () => {
  const dead = pages.flatMap((page) => linksOf(page).filter((link) => !leadsSomewhere(page, link)));
  expect(dead).toEqual([]);
});

test('pages name only files of the code that exist', () => {
  const named = pages.flatMap((page) => textOf(page).match(FILE_OF_CODE) ?? []);
  expect(named.filter((file) => !existsSync(path.join(PROJECT_ROOT, file)))).toEqual([]);
});

test('the index of decisions lists every decision', () => {
  const folder = path.join('docs', 'decisions');
  const records = pages.filter((page) => /\/\d{4}-/.test(page)).map((page) => path.relative(folder, page));
  expect(linksOf(path.join(folder, 'README.md'))).toEqual(expect.arrayContaining(records));
});

function linksOf(page: string): string[] {
  const links = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : path.join(path.dirname(page), file);
  if (!existsSync(path.join(PROJECT_ROOT, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function textOf(page: string): string {
  return readFileSync(path.join(PROJECT_ROOT, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';

const pages = [
  'README.md',
  ...readdirSync(path.join(PROJECT_ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.join('docs', file)),
];

test.each(pages)('%s links only to files and headings that exist', (page) => {
  const links = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const dead = links.filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, link));
  expect(dead).toEqual([]);
});

test.each(pages)('%s names only files of tests that exist', (page) => {
  const files = textOf(page).match(/\btests\/[\w/.-]+\.tsx?\b/g) ?? [];
  expect(files.filter((file) => !existsSync(path.join(PROJECT_ROOT, file)))).toEqual([]);
});

test('each decision has a number of its own', () => {
  const numbers = pages
    .filter((page) => page.startsWith(path.join('docs', 'decisions')))
    .map((page) => /^\d{4}(?=-)/.exec(path.basename(page))?.[0]);
  expect(numbers).not.toContain(undefined);
  expect(new Set(numbers).size).toBe(numbers.length);
});

function leadsSomewhere(page: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : path.join(path.dirname(page), file);
  if (!existsSync(path.join(PROJECT_ROOT, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** The anchors that GitHub makes of a page's headings. */
function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns a page without its blocks of code. */
function textOf(page: string): string {
  return readFileSync(path.join(PROJECT_ROOT, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
}

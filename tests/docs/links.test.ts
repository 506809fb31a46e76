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

test.each(pages)('every link of %s leads to a file, and to a heading of it', (page) => {
  const links = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const dead = links.filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, link));
  expect(dead).toEqual([]);
});

function leadsSomewhere(page: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : path.join(path.dirname(page), file);
  if (!existsSync(path.join(PROJECT_ROOT, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** As GitHub makes them of headings. */
function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Without blocks of code. */
function textOf(page: string): string {
  return readFileSync(path.join(PROJECT_ROOT, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
}

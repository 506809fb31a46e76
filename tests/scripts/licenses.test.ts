import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { licensesText } from '../../scripts/licenses.ts';
import { PROJECT_ROOT } from '../../server/config/folders.ts';

const builtText = (bundle: string) =>
  readFileSync(path.join(PROJECT_ROOT, 'dist', bundle, 'licenses.txt'), 'utf8');

test('a package without licence file or known licence fails the build', () => {
  const unknown = { name: 'left-pad', version: '1.3.0', identifier: 'WTFPL' };
  expect(() => licensesText([unknown])).toThrow(
    'left-pad 1.3.0 has no licence file, and its licence is WTFPL',
  );
  expect(() => licensesText([{ name: 'left-pad', version: '1.3.0' }])).toThrow('its licence is none');
});

test('a package without a licence file gets its author and the text of its licence', () => {
  const text = licensesText([
    { name: '@wry/trie', version: '0.5.0', identifier: 'MIT' },
    { name: '@firebase/app', version: '0.16.2', identifier: 'Apache-2.0' },
  ]);
  expect(text).toMatch(
    /@wry\/trie 0\.5\.0\n\nMIT License\n\nCopyright \(c\) Ben Newman .*\n\nPermission is hereby/,
  );
  expect(text).toMatch(/@firebase\/app 0\.16\.2\n\n\s*Apache License\n\s*Version 2\.0/);
});

test.each([
  ['client', ['react-dom', '@apollo/client', 'rxjs', '@firebase/app']],
  ['server', ['fastify', '@apollo/server', '@prisma/client', 'pg']],
])('the built %s carries our licence and those of its packages', (bundle, packages) => {
  const text = builtText(bundle);
  expect(text.startsWith(readFileSync(path.join(PROJECT_ROOT, 'LICENSE'), 'utf8').trim())).toBe(true);
  for (const name of packages)
    expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\\S*\\n\\n.*\\S`, 'm'));
  expect(existsSync(path.join(PROJECT_ROOT, 'dist', bundle, 'licenses.json'))).toBe(false);
});

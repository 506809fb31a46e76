import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { runAccountHere } from '../server/cli/runAccount.ts';

const DOCS = ['README.md', 'deploy/alerts.yml', 'docs/api.md', 'docs/night.md', 'docs/operations.md'];
const COMMAND = /(?:npm run (?:--silent )?account --|audio account) ([a-z][^`|\n<>#)&]* [^`|\n<>#)&]+)/g;
/** Commands without `audio account` before them, in the table that says so in its head. */
const IN_TABLE = /`([a-z-]+ [^`…<]+)/g;

const text = DOCS.map((file) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8')).join('\n');
const [, table = ''] = /\| to \| `audio account …` \|\n((?:\|.*\n)+)/.exec(text) ?? [];
const commands = [...text.matchAll(COMMAND), ...table.matchAll(IN_TABLE)].map(([, command = '']) =>
  command
    .replace(/"? \}\}?$/, '')
    .replace('DATE', '2027-06-30')
    .trim(),
);

test('commands are found in the text and in the table', () => {
  expect(commands).toContain('list --expiring 30');
  expect(commands).toContain('rename --username U --to V');
});

test.each(commands)('the documented account %s is right usage', async (command) => {
  const args = (command.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^["']|["']$/g, ''));
  // Without a database it goes no further than its arguments.
  const { exitCode } = await runAccountHere(args, { env: { NODE_ENV: 'production' } });
  expect(exitCode).toBe(args.includes('--help') ? 0 : 78);
});

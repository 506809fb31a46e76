import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { runAccountHere } from '../server/cli/runAccount.ts';

const COMMAND = /(?:npm run (?:--silent )?account --|audio account) ([a-z][^`"|\n<>#)]* --[^`"|\n<>#)&]*)/g;
const DOCS = ['README.md', 'deploy/alerts.yml', 'docs/api.md', 'docs/night.md', 'docs/operations.md']
  .map((file) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8'))
  .join('\n');
const commands = [...DOCS.matchAll(COMMAND)].map(([, command = '']) => command.trim());

test.each(commands)('the documented account %s is right usage', async (command) => {
  const args = command.match(/'[^']*'|\S+/g) ?? [];
  // Without a database it goes no further than its arguments.
  const { exitCode } = await runAccountHere(args, { env: { NODE_ENV: 'production' } });
  expect(exitCode).not.toBe(2);
});

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';

const filesIn = (folder: string) =>
  readdirSync(path.join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(md|sql|sh|service|yaml|ini)$/.test(name))
    .map((name) => path.join(folder, name));
const FILES = ['README.md', 'CONTRIBUTING.md', 'compose.yaml', ...filesIn('deploy'), ...filesIn('docs')];

const lines = FILES.flatMap((file) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8').split('\n'));
const commands = lines.filter((line) => /\bcreatedb [-\w]/.test(line));
const statements = lines.filter((line) => /^\s*CREATE DATABASE /i.test(line));

test('the documents and the container create databases', () => {
  expect(commands.length).toBeGreaterThan(1);
  expect(statements.length).toBeGreaterThan(1);
});

test.each(commands)('%s takes no encoding or locale of the machine', (command) => {
  expect(command).toContain(' --owner=audio --encoding=UTF8 --locale=C.UTF-8 --template=template0 ');
});

test.each(statements)('%s takes no encoding or locale of the machine', (statement) => {
  expect(statement).toContain(" ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0");
});

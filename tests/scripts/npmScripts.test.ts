import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const read = (file: string) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
/** A tool of the build that prints its name, tries to read the program's input, and fails if told to. */
const TOOL = '#!/bin/sh\nbasename "$0"; cat; [ "$(basename "$0")" != "$FAILS" ]\n';
const TOOLS = ['prisma', 'graphql-codegen', 'vite', 'concurrently'];
/** Tells its arguments and its input, and ends with the exit code of a wrong configuration. */
const PROGRAM = `
  import { readFileSync } from 'node:fs';
  console.log(JSON.stringify([...process.argv.slice(2), readFileSync(0, 'utf8')]));
  process.exitCode = 78;`;

const SOURCES = Object.fromEntries(
  ['package.json', 'scripts/requireNode.mjs', 'scripts/buildState.mjs'].map((file) => [file, read(file)]),
);
const BUILT = Object.fromEntries(
  ['main', 'account', 'check', 'migrate'].map((name) => [`dist/server/${name}.js`, PROGRAM]),
);

function project(files: Record<string, string> = BUILT): string {
  const tools = Object.fromEntries(TOOLS.map((tool) => [`node_modules/.bin/${tool}`, TOOL]));
  const cwd = temporaryFolder({ ...SOURCES, 'server/main.ts': 'source', ...tools, ...files });
  for (const tool of TOOLS) chmodSync(path.join(cwd, 'node_modules/.bin', tool), 0o755);
  return cwd;
}

/** Runs npm as many set it up who do not trust the scripts of packages. */
function npm(args: string[], cwd = project()) {
  return run('npm', ['--silent', ...args], { npm_config_ignore_scripts: 'true' }, cwd);
}

/** Runs the line of a script in the shell as npm does, but without npm, which takes longer than most of them. */
function script(name: string, args: string[], cwd = project(), env: Record<string, string> = {}) {
  const line: string = JSON.parse(read('package.json')).scripts[name];
  const PATH = [path.join(cwd, 'node_modules/.bin'), process.env.PATH].join(path.delimiter);
  return run('sh', ['-c', [line, ...args].join(' ')], { PATH, ...env }, cwd);
}

function run(program: string, args: string[], env: Record<string, string>, cwd: string) {
  const options = { cwd, env: { ...process.env, ...env }, input: 'input', encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(program, args, options);
  return [status, stdout, stderr];
}

test('npm start builds on standard error, and the rest is the server’s', () => {
  const ran = npm(['start', '--', '--now']);
  expect(ran).toEqual([78, '["--now","input"]\n', 'prisma\nvite\nvite\n']);
});

// Each by the innermost script that runs the tool, since npm takes the longest; the first tool reads the input.
test.each([
  ['start', 'prisma', ''],
  ['generate', 'graphql-codegen', 'prisma\ninput'],
  ['build', 'vite', 'prisma\ninputvite\n'],
])('npm run %s goes no further when %s fails', (name, tool, ran) => {
  const [status, stdout] = script(name, [], project(), { FAILS: tool });
  expect([status, stdout]).toEqual([1, ran]);
});

test('npm run account, check and migrate tell an old build from a new one', () => {
  const cwd = project();
  const outcomes = () => ['account', 'check', 'migrate'].map((name) => script(name, [name], cwd));
  script('build', [], cwd);
  const ran = ['account', 'check', 'migrate'].map((name) => [78, `["${name}","input"]\n`]);
  expect(outcomes()).toEqual(ran.map((outcome) => [...outcome, '']));

  writeFileSync(path.join(cwd, 'server/main.ts'), 'changed');
  // As after unpacking an archive.
  utimesSync(path.join(cwd, 'server/main.ts'), 0, 0);
  const old = 'warning: the build is older than the sources. Run: npm run build\n';
  expect(outcomes()).toEqual(ran.map((outcome) => [...outcome, old]));
});

test.each(['account', 'check', 'migrate'])('npm run %s without a build says so', (name) => {
  const missing = 'error: nothing is built here. Run: npm run build\n';
  expect(script(name, [], project({}))).toEqual([1, '', missing]);
});

test('npm run dev generates first', () => {
  const [, stdout] = npm(['run', 'dev']);
  expect(stdout).toMatch(/^prisma\n.*concurrently\n/s);
});

test.each(['generate', 'validate'])('npm run %s without development packages names their option', (name) => {
  const cwd = project();
  for (const tool of TOOLS) rmSync(path.join(cwd, 'node_modules/.bin', tool));
  const missing =
    "The build's packages are not installed (NODE_ENV=production or omit=dev). Run: npm ci --include=dev\n";
  expect(script(name, [], cwd)).toEqual([1, '', missing]);
});

test('a build refuses an old Node before anything else', () => {
  const older = `Object.defineProperty(process.versions, 'node', { value: '20.18.3' })`;
  const NODE_OPTIONS = `--import "data:text/javascript,${encodeURIComponent(older)}"`;
  const refused = 'Node.js 20.19 or later is needed, this is 20.18.3.\n';
  expect(script('generate', [], project(), { NODE_OPTIONS })).toEqual([1, '', refused]);
});

test('a build without its dependencies says how to install them', () => {
  const cwd = temporaryFolder({
    'package.json': read('package.json'),
    'scripts/requireNode.mjs': read('scripts/requireNode.mjs'),
  });
  expect(script('generate', [], cwd)).toEqual([1, '', 'The dependencies are not installed. Run: npm ci\n']);
});

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { buildFingerprint, recordBuild } from '../../scripts/freshness.mjs';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const ENTRIES = ['main', 'account', 'migrate', 'check'];
const BUILD_TOOLS = ['tsx', 'vite', 'prisma', '@graphql-codegen/cli'];
const NOT_INSTALLED = 'the development dependencies that a build needs are not installed';
const INSTALL = 'Run: npm ci --include=dev && npm run build\n';

/** The scripts under test in a folder of their own, with a build that only writes down what it was called for. */
function project(files: Record<string, string> = {}): string {
  const root = temporaryFolder({
    'package.json': '{"type":"module"}',
    'server/main.ts': 'source',
    'scripts/build.ts': `
      import { mkdirSync, writeFileSync } from 'node:fs';
      console.log('building', ...process.argv.slice(2));
      if (process.env.BUILD_FAILS) process.exit(1);
      mkdirSync('dist/server', { recursive: true });
      for (const entry of ${JSON.stringify(ENTRIES)}) writeFileSync(\`dist/server/\${entry}.js\`, "console.log('new build')");
    `,
    ...files,
  });
  for (const script of ['run.mjs', 'freshness.mjs']) {
    cpSync(path.join(PROJECT, 'scripts', script), path.join(root, 'scripts', script));
  }
  for (const tool of BUILD_TOOLS) {
    const link = path.join(root, 'node_modules', tool);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join(PROJECT, 'node_modules', tool), link);
  }
  return root;
}

function builtProject(): string {
  const tellsItsArguments = 'console.log(JSON.stringify(process.argv.slice(2)));';
  const root = project(
    Object.fromEntries(ENTRIES.map((entry) => [`dist/server/${entry}.js`, tellsItsArguments])),
  );
  recordBuild(root, buildFingerprint(root));
  return root;
}

function run(root: string, args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(root, 'scripts/run.mjs'), ...args],
    { cwd: root, env: { ...process.env, ...env }, encoding: 'utf8' },
  );
  return [status, stdout, stderr];
}

test('an up-to-date build runs as it is', () => {
  const ran = run(builtProject(), ['account', 'add', '--company', 'Radio Uno']);
  expect(ran).toEqual([0, '["add","--company","Radio Uno"]\n', '']);
});

test('an outdated build is built again first', () => {
  const root = builtProject();
  write(root, 'server/main.ts', 'changed source');
  expect(run(root, ['account', 'list'])).toEqual([0, 'new build\n', 'building --if-stale\n']);
});

test('nothing runs when the build fails', () => {
  expect(run(project(), ['server'], { BUILD_FAILS: 'yes' })).toEqual([1, '', 'building --if-stale\n']);
});

test('without development dependencies an outdated build runs with a warning', () => {
  const root = builtProject();
  rmSync(path.join(root, 'node_modules/vite'));
  expect(run(root, ['server', 'now'])).toEqual([0, '["now"]\n', '']);
  write(root, 'server/main.ts', 'changed source');
  const warning = `Warning: dist/ was built from other sources than these, and ${NOT_INSTALLED}. ${INSTALL}`;
  expect(run(root, ['server', 'now'])).toEqual([0, '["now"]\n', warning]);
});

/** Replaces Node's version before the script reads it. */
const NODE_20_18 = `Object.defineProperty(process.versions, 'node', { value: '20.18.3' });`;

test.each<[string, () => unknown[], string]>([
  [
    'npm run assemble without development dependencies',
    () => run(without(builtProject(), 'tsx'), ['assemble']),
    `Nothing is built: ${NOT_INSTALLED}. ${INSTALL}`,
  ],
  [
    'a start without a build and development dependencies',
    () => run(without(project(), 'vite'), ['server']),
    `Nothing is built in dist/, and ${NOT_INSTALLED}. ${INSTALL}`,
  ],
  [
    'a start without any dependencies',
    () => run(without(builtProject(), ''), ['server']),
    'The dependencies are not installed. Run: npm ci\n',
  ],
  [
    'a start on Node.js 20.18',
    () =>
      run(builtProject(), ['server'], {
        NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(NODE_20_18)}"`,
      }),
    'Node.js 20.19 or later is needed, this is 20.18.3.\n',
  ],
])('%s says in one line what to do', (_what, refused, said) => {
  expect(refused()).toEqual([1, '', said]);
});

function without(root: string, tool: string): string {
  rmSync(path.join(root, 'node_modules', tool), { recursive: true });
  return root;
}

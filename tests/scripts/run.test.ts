import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { buildFingerprint, recordFingerprint } from '../../scripts/freshness.mjs';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const BUILD_TOOLS = ['tsx', 'vite', 'prisma', '@graphql-codegen/cli'];
const TELLS_ITS_ARGUMENTS = 'console.log(JSON.stringify(process.argv.slice(2)));';

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
      for (const entry of ['main', 'account', 'migrate', 'check']) writeFileSync(\`dist/server/\${entry}.js\`, "console.log('new build')");
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

function builtProject(files: Record<string, string> = {}): string {
  const root = project({
    'dist/server/main.js': TELLS_ITS_ARGUMENTS,
    'dist/server/account.js': TELLS_ITS_ARGUMENTS,
    'dist/server/migrate.js': TELLS_ITS_ARGUMENTS,
    'dist/server/check.js': TELLS_ITS_ARGUMENTS,
    ...files,
  });
  recordFingerprint(root, 'build', buildFingerprint(root));
  return root;
}

async function run(root: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [path.join(root, 'scripts/run.mjs'), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  const [exitCode] = await once(child, 'close');
  return { exitCode, ...output };
}

describe('starting', () => {
  test('runs an up-to-date build with the arguments given, without building', async () => {
    expect(await run(builtProject(), ['account', 'add', '--company', 'Radio Uno'])).toEqual({
      exitCode: 0,
      stdout: '["add","--company","Radio Uno"]\n',
      stderr: '',
    });
  });

  test('builds first what is out of date, and keeps standard output for the program', async () => {
    const root = builtProject();
    write(root, 'server/main.ts', 'changed source');
    expect(await run(root, ['account', 'list'])).toEqual({
      exitCode: 0,
      stdout: 'new build\n',
      stderr: 'building --if-stale\n',
    });
  });

  test('runs nothing when the build fails', async () => {
    const outcome = await run(project(), ['server'], { BUILD_FAILS: 'yes' });
    expect(outcome).toMatchObject({ exitCode: 1, stdout: '' });
  });

  test('names our own source in a stack trace', async () => {
    const map = { version: 3, sources: ['../../server/main.ts'], names: [], mappings: 'AAAA' };
    const root = builtProject({
      'dist/server/main.js': "throw new Error('boom');\n//# sourceMappingURL=main.js.map\n",
      'dist/server/main.js.map': JSON.stringify(map),
    });
    expect((await run(root, ['server'])).stderr).toContain(path.join(root, 'server/main.ts:1'));
  });
});

describe('without the development dependencies', () => {
  test('runs what is built, and says in one line that it was built from other sources', async () => {
    const root = builtProject();
    rmSync(path.join(root, 'node_modules/vite'));
    const ran = { exitCode: 0, stdout: '["now"]\n', stderr: '' };
    expect(await run(root, ['server', 'now'])).toEqual(ran);
    write(root, 'server/main.ts', 'changed source');
    expect(await run(root, ['server', 'now'])).toEqual({
      ...ran,
      stderr:
        'Warning: dist/ was built from other sources than these, and the development dependencies that a build needs ' +
        'are not installed. Run: npm ci --include=dev && npm run build\n',
    });
    rmSync(path.join(root, 'server'), { recursive: true });
    expect(await run(root, ['server', 'now'])).toEqual(ran);
  });

  test.each(['build', 'assemble'])('npm run %s says what to do', async (script) => {
    const root = builtProject();
    rmSync(path.join(root, 'node_modules/tsx'));
    expect(await run(root, [script])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'Nothing is built: the development dependencies that a build needs are not installed. ' +
        'Run: npm ci --include=dev && npm run build\n',
    });
  });

  test('says what to do when nothing is built', async () => {
    const root = project();
    rmSync(path.join(root, 'node_modules/vite'));
    expect(await run(root, ['server'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'Nothing is built in dist/, and the development dependencies that a build needs are not installed. ' +
        'Run: npm ci --include=dev && npm run build\n',
    });
  });
});

describe('refuses to start, in one plain line,', () => {
  test('where nothing is built and it may not write', async () => {
    // Root, who may run the tests, may write everywhere.
    const root = project({
      'scripts/build.ts': `
        import { reportFailure } from '${PROJECT}scripts/steps.ts';
        reportFailure(Object.assign(new Error('EROFS'), { code: 'EROFS', path: '/opt/audio/dist' }));`,
    });
    expect(await run(root, ['server'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'Nothing can be written at /opt/audio/dist (EROFS). Run as a user who may: npm run build\n',
    });
  });

  test('without any dependencies', async () => {
    const root = builtProject();
    rmSync(path.join(root, 'node_modules'), { recursive: true });
    expect(await run(root, ['server'])).toMatchObject({
      exitCode: 1,
      stderr: 'The dependencies are not installed. Run: npm ci\n',
    });
  });

  test('on Node.js 20.18', async () => {
    const version = '20.18.3';
    const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
    const env = { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(pretend)}"` };
    expect(await run(builtProject(), ['server'], env)).toMatchObject({
      exitCode: 1,
      stderr: `Node.js 20.19 or later is needed, this is ${version}.\n`,
    });
  });
});

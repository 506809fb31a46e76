import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, copyFile, cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { freePort } from '../support/freePort.ts';
import { becomesReady, launchServer, type ServerProcess, stopServer } from '../support/serverProcess.ts';
import { STREAM_BASE_URL } from '../support/testApp.ts';
import { emptyTestDatabase } from '../support/testDatabase.ts';

vi.setConfig({ testTimeout: 120_000 });

const MOST_MEGABYTES = 20;
const OF_THE_DEMO = /server\/demo\/|embedded-?postgres/i;

const { version: VERSION } = JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'package.json'), 'utf8'));
const dockerfile = readFileSync(path.join(PROJECT_ROOT, 'Dockerfile'), 'utf8');
const BUILD = /^RUN (npm run assemble .*)$/m.exec(dockerfile)?.[1] ?? '';
const [, UID = '', GID = ''] = /^USER (\d+):(\d+)$/m.exec(dockerfile) ?? [];
const START: string[] = JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? '[]');
const HEALTH_CHECK: string[] = JSON.parse(/^ +CMD (.*)$/m.exec(dockerfile)?.[1] ?? '[]');

let context: string;
let image: string;
let node: string;
let files: string[];

/**
 * Runs the Dockerfile's build without Docker, on the files that .dockerignore lets pass, with the packages of this
 * project.
 */
beforeAll(async () => {
  context = await mkdtemp(path.join(tmpdir(), 'audio-oficial-premium-image-'));
  await chmod(context, 0o755); // the image's user is somebody else
  const patterns = readFileSync(path.join(PROJECT_ROOT, '.dockerignore'), 'utf8').split('\n');
  for (const pattern of patterns.filter((line) => line.startsWith('!'))) {
    const file = pattern.slice(1);
    await cp(path.join(PROJECT_ROOT, file), path.join(context, file), {
      recursive: true,
      filter: (source) => !patterns.includes(path.relative(PROJECT_ROOT, source)),
    });
  }
  await symlink(path.join(PROJECT_ROOT, 'node_modules'), path.join(context, 'node_modules'));
  await promisify(execFile)('sh', ['-c', BUILD], {
    cwd: context,
    env: { ...process.env, COMMIT: '0123abc' },
  });
  image = path.join(context, 'assembled');
  files = readdirSync(image, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  node = path.join(context, 'node'); // ours may lie in a home that is closed to others
  await copyFile(process.execPath, node);
  await promisify(execFile)('chmod', ['-R', 'a-w', image]);
});
afterAll(async () => {
  await promisify(execFile)('chmod', ['-R', 'u+w', context]);
  await rm(context, { recursive: true });
});

/** Starts one of the image's commands, as its user where the tests may change to another one. */
function launch([name = '', ...args]: string[], env: Record<string, string> = {}): ServerProcess {
  expect(Number(UID)).toBeGreaterThan(0);
  const user = process.getuid?.() === 0 ? { uid: Number(UID), gid: Number(GID) } : {};
  const program = name === 'node' ? node : name;
  return launchServer(args, { NODE_ENV: 'production', ...env }, { program, cwd: image, ...user });
}

async function run(command: string[], env?: Record<string, string>) {
  const child = launch(command, env);
  const [exitCode] = await once(child, 'close');
  return { exitCode, output: child.output };
}

describe('the image', () => {
  test(`holds nothing of the demo in less than ${MOST_MEGABYTES} MB`, () => {
    const parts = [
      '.env.example',
      'LICENSE',
      'deploy',
      'dist',
      'docs',
      'node_modules',
      'package.json',
      'prisma',
      'schema.graphql',
    ];
    expect(readdirSync(image).sort()).toEqual(parts);
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    expect(bytes / 1e6).toBeLessThan(MOST_MEGABYTES);

    const sources = files
      .filter((file) => file.endsWith('.map'))
      .flatMap((file): string[] => JSON.parse(readFileSync(file, 'utf8')).sources);
    expect(sources.some((source) => source.endsWith('/server/main.ts'))).toBe(true);
    const named = [...sources, ...files].filter((file) => !path.basename(file).startsWith('packages~'));
    expect(named.filter((file) => OF_THE_DEMO.test(file))).toEqual([]);
    expect(files.filter((file) => /\.(ts|tsx|mp3)$/.test(file) && !file.endsWith('.d.ts'))).toEqual([]);
  });
});

test('every package in the image carries its licence', () => {
  const packages = files
    .filter((file) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
    .map(path.dirname);
  expect(packages.length).toBeGreaterThan(1);
  expect(packages.filter((folder) => !files.includes(path.join(folder, 'LICENSE')))).toEqual([]);
  for (const bundle of ['client', 'server']) {
    expect(readFileSync(path.join(image, 'dist', bundle, 'licenses.txt'), 'utf8')).toContain('MIT License');
  }
});

describe('a container with a read-only image', () => {
  test('serves the client until SIGTERM', async () => {
    const database = await emptyTestDatabase();
    onTestFinished(database.drop);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = {
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: database.url,
      JWT_SECRET: 'a secret of the image, 32 bytes or more',
      PROVIDER_TOKEN_URL: 'https://provider.example/',
      STREAM_BASE_URL,
    };
    const server = launch(START, env);
    onTestFinished(async () => void (await stopServer(server, 'SIGKILL')));
    await becomesReady(server, port);
    await expect.poll(() => server.output).toContain('"msg":"listening"');
    const listening = server.output.split('\n').find((line) => line.includes('"msg":"listening"')) ?? '';
    expect(JSON.parse(listening)).toMatchObject({ version: `${VERSION}+0123abc`, address: url });
    expect(await run(HEALTH_CHECK, env)).toEqual({ exitCode: 0, output: '' });
    const page = await (await fetch(`${url}/`)).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
    expect((await fetch(`${url}${script}`)).status).toBe(200);
    expect(await stopServer(server, 'SIGTERM')).toBe(0);
    expect((await run(HEALTH_CHECK, env)).exitCode).toBe(1);
    expect(HEALTH_CHECK[0]).toBe('bash');
  });

  test('asks for DATABASE_URL outside of production too', async () => {
    const output = expect.stringContaining('DATABASE_URL is required');
    expect(await run(START, { NODE_ENV: '' })).toMatchObject({ exitCode: 78, output });
  });
});

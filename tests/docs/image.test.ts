import { readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { buildImage, type Image } from '../support/dockerImage.ts';
import { freePort } from '../support/freePort.ts';
import { broughtBy, locked, nameAt } from '../support/lockedPackages.ts';
import { becomesReady, startMediaProvider } from '../support/production.ts';
import { type ServerProcess, stopServer } from '../support/serverProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { CREATE_TOKEN, LOGIN } from '../support/testApp.ts';
import { emptyTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

// Whole processes, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const MOST_MEGABYTES = 20;
const OF_THE_DEMO = /server\/demo\/|embedded-?postgres|postgresCluster/i;

const { dependencies } = z
  .object({ dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'package.json'), 'utf8')));
const productionPackages = new Set([...broughtBy(Object.keys(dependencies))].map(nameAt));

let image: Image;
let database: TestDatabase;
let provider: Awaited<ReturnType<typeof startMediaProvider>>;
let port: number;
let env: Record<string, string>;
let files: string[];
let running: ServerProcess | undefined;

beforeAll(async () => {
  image = await buildImage();
  files = filesIn(image.folder);
  database = await emptyTestDatabase();
  provider = await startMediaProvider({ answerMs: 0 });
  port = await freePort();
  env = {
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: database.url,
    JWT_SECRET: 'a secret of the image, 32 bytes or more',
    ...provider.env,
  };
}, 180_000);
afterAll(async () => {
  if (running !== undefined) await stopServer(running, 'SIGKILL');
  provider?.close();
  await database?.drop();
  await image?.close();
});

async function start(coverageFolder?: string): Promise<ServerProcess> {
  running =
    coverageFolder === undefined
      ? image.launch(env)
      : image.launch({ ...env, NODE_V8_COVERAGE: coverageFolder }, true);
  await becomesReady(running, port);
  return running;
}

async function graphql(query: string, variables: object, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as { data: Record<string, Record<string, unknown>> };
}

describe('the image', () => {
  test(`holds what the server runs, under ${MOST_MEGABYTES} MB`, () => {
    const parts = ['dist', 'node_modules', 'package.json', 'prisma', 'schema.graphql'];
    expect(readdirSync(image.folder).sort()).toEqual(parts);
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    expect(bytes / 1e6).toBeLessThan(MOST_MEGABYTES);
  });

  test('holds no package that only development needs, neither as a folder nor in what is built', async () => {
    const installed = files.flatMap((file) => packageOf(path.relative(image.folder, file)) ?? []);
    expect([...new Set(installed)].filter((name) => !isOfProduction(name))).toEqual([]);

    const { output } = z
      .object({
        output: z.array(z.object({ fileName: z.string(), moduleIds: z.array(z.string()).default([]) })),
      })
      .parse(await bundle());
    const bundled = output
      .filter(({ fileName }) => !fileName.startsWith('demo/'))
      .flatMap(({ moduleIds }) => moduleIds.flatMap((id) => packageOf(id) ?? []));
    expect(bundled).toContain('fastify');
    expect([...new Set(bundled)].filter((name) => !isOfProduction(name))).toEqual([]);
  });

  test('holds nothing of the demo, and no source but that of stack traces', () => {
    const maps = files.filter((file) => file.endsWith('.map'));
    const sources = maps.flatMap((file) => sourcesOf(file));
    expect(sources.some((source) => source.endsWith('/server/main.ts'))).toBe(true);
    expect([...sources, ...files].filter((file) => OF_THE_DEMO.test(file) && !isPackages(file))).toEqual([]);
    expect(files.filter((file) => /\.(ts|tsx|mp3)$/.test(file) && !file.endsWith('.d.ts'))).toEqual([]);
  });

  test('has a user who is not root and who can change no file of it', async () => {
    const { output: uid } = await image.run(['node', '--print', 'process.getuid()']);
    expect(Number(uid)).toBeGreaterThan(0);
    for (const file of ['dist/server/main.js', 'new', 'dist/server/new']) {
      const write = `require('node:fs').writeFileSync(${JSON.stringify(file)}, 'changed')`;
      const { exitCode, output } = await image.run(['node', '--eval', write]);
      expect(output).toMatch(/EACCES|EPERM|EROFS/);
      expect(exitCode).not.toBe(0);
    }
  });
});

describe('a container', () => {
  test('migrates an empty database, makes accounts, serves page and API, and ends when it is told', async () => {
    const server = await start();
    expect(await image.run(image.healthCheck, env)).toEqual({ exitCode: 0, output: '' });

    const add = ['add', '--username', 'radio@uno.example', '--company', 'Radio Uno', '--generate'];
    const { exitCode, output } = await image.run(['node', 'dist/server/account.js', ...add], env);
    expect(exitCode).toBe(0);
    const password = /^\S{6,32}$/m.exec(output)?.[0];
    const { data } = await graphql(LOGIN, { username: 'radio@uno.example', password });
    expect(data.login).toMatchObject({ company: 'Radio Uno' });
    const headers = { authorization: `Bearer ${data.login?.jwt}` };
    expect((await graphql(CREATE_TOKEN, {}, headers)).data.createToken).toMatchObject({
      lifetimeSeconds: 1200,
    });

    const page = await (await fetch(`http://127.0.0.1:${port}/`)).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
    expect((await fetch(`http://127.0.0.1:${port}${script}`)).status).toBe(200);

    expect(await stopServer(server, image.stopSignal)).toBe(0);
    expect((await image.run(image.healthCheck, env)).exitCode).toBe(1);
  });

  test('that is told no database says which variable names it, also outside of production', async () => {
    for (const NODE_ENV of ['production', '']) {
      const { exitCode, output } = await image.run(['node', 'dist/server/account.js', 'list'], { NODE_ENV });
      expect(exitCode).toBe(1);
      expect(output).toMatch(/^error: DATABASE_URL is required\b.*\n$/);
    }
  });

  test('loads no code of the demo, and of packages only the native ones beside what is built', async () => {
    const folder = temporaryFolder();
    await chmod(folder, 0o777);
    const server = await start(folder);
    expect(await stopServer(server, image.stopSignal)).toBe(0);
    const loaded = readdirSync(folder).flatMap((file) => scriptsIn(path.join(folder, file)));
    expect(loaded).toContain(path.join(image.folder, 'dist/server/main.js'));
    expect(loaded.filter((file) => !files.includes(file))).toEqual([]);
    expect([...new Set(loaded.flatMap((file) => packageOf(file) ?? []))].sort()).toEqual(['@node-rs/argon2']);
  });
});

/** The server as it is built, with the modules that each file is made of. */
async function bundle(): Promise<unknown> {
  const configFile = path.join(PROJECT_ROOT, 'vite.server.config.ts');
  return build({ configFile, root: PROJECT_ROOT, logLevel: 'silent', build: { write: false } });
}

function isOfProduction(name: string): boolean {
  if (productionPackages.has(name)) return true;
  return [...productionPackages].some(
    (one) => name in (locked[`node_modules/${one}`]?.optionalDependencies ?? {}),
  );
}

function packageOf(file: string): string | undefined {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
  return name;
}

/** A chunk of packages, which may be named after those who use it. */
function isPackages(file: string): boolean {
  return path.basename(file).startsWith('packages~');
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

function sourcesOf(map: string): string[] {
  const { sources } = z.object({ sources: z.array(z.string()) }).parse(JSON.parse(readFileSync(map, 'utf8')));
  return sources;
}

/** The files of which V8 ran something, by what `NODE_V8_COVERAGE` wrote. */
function scriptsIn(coverage: string): string[] {
  const { result } = z
    .object({ result: z.array(z.object({ url: z.string() })) })
    .parse(JSON.parse(readFileSync(coverage, 'utf8')));
  return result.filter(({ url }) => url.startsWith('file:')).map(({ url }) => fileURLToPath(url));
}

import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import { openDatabase } from '../server/database/database.ts';
import { applyMigrations } from '../server/database/migrations.ts';
import { openEmbeddedPostgres } from '../server/demo/postgres/embeddedPostgres.ts';
import { hashPassword } from '../server/signIn/password.ts';
import { makeThrowawayFolder } from '../tests/support/throwawayPostgres.ts';
import { type Program, startProgram } from './program.ts';
import { fromNewAddress, PARTNERS, PASSWORD, type Request, signInRequest, usernameOf } from './requests.ts';

/** The time limit of each query while setting up, also on a busy machine. */
const PATIENCE_MS = 10_000;

const STREAM_BASE_URL = 'https://stream.example/mp3/icecast.audio?wmsAuthSign=';

/** PostgreSQL with its usual settings, a number of accounts, a media provider. */
export type Testbed = Awaited<ReturnType<typeof openTestbed>>;

/**
 * Runs a benchmark on a new testbed; stops everything afterwards.
 * @param providerMs - time that the provider takes to answer
 */
export async function withTestbed<Result>(
  work: (testbed: Testbed) => Promise<Result>,
  { providerMs = 0 }: { providerMs?: number } = {},
): Promise<Result> {
  const closers: Array<() => Promise<unknown>> = [];
  try {
    return await work(await openTestbed(closers, providerMs));
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function openTestbed(closers: Array<() => Promise<unknown>>, providerMs: number) {
  const { folder, remove } = await makeThrowawayFolder();
  closers.push(remove);
  const postgres = await openEmbeddedPostgres({ folder });
  closers.push(() => postgres.close());
  await addAccounts(postgres.url);

  async function run(command: string[], environment: NodeJS.ProcessEnv): Promise<Program> {
    const program = await startProgram(command, environment);
    closers.push(program.stop);
    return program;
  }
  const source = (file: string) => [process.execPath, '--import', 'tsx', file];
  const provider = await run(source('bench/streamTokens/provider.ts'), { PROVIDER_MS: String(providerMs) });
  const environment = {
    DATABASE_URL: postgres.url,
    JWT_SECRET: randomBytes(32).toString('hex'),
    PROVIDER_TOKEN_URL: `${provider.address}/secure/audio`,
    STREAM_BASE_URL,
    TRUST_PROXY: '1',
    PORT: '0',
    NODE_ENV: 'production',
  };
  return {
    environment,
    folder,
    /** @param file - a server of the benchmark's own, relative to the project's root */
    start: (file: string) => run(source(file), environment),
    /** @param prefix - command to run Node with, such as `taskset -c 1` */
    startApp: ({ prefix = [], changes = {} }: { prefix?: string[]; changes?: NodeJS.ProcessEnv } = {}) =>
      run([...prefix, process.execPath, 'scripts/run.mjs', 'server'], { ...environment, ...changes }),
  };
}

async function addAccounts(databaseUrl: string): Promise<void> {
  await applyMigrations(databaseUrl);
  const database = openDatabase(databaseUrl, { connectTimeoutMs: PATIENCE_MS, queryTimeoutMs: PATIENCE_MS });
  const passwordHash = await hashPassword(PASSWORD);
  await database.prisma.account.createMany({
    data: Array.from({ length: PARTNERS }, (_, index) => ({
      username: usernameOf(index),
      passwordHash,
      company: 'Radio Uno',
    })),
  });
  await database.close();
}

/** Signs a partner in; returns the headers with which a tool sends the session, and a known browser its cookie. */
export async function signIn(app: Program, partner = 0) {
  const { body, headers } = await send(app, signInRequest(partner, fromNewAddress()));
  const { data } = (await body.json()) as { data: { login: { jwt: string } } };
  return {
    session: { authorization: `Bearer ${data.login.jwt}` },
    browser: { cookie: /device=[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '' },
  };
}

export function send(app: Program, { path = '/', body, headers = {} }: Request) {
  return request(app.address + path, { method: 'POST', headers, body: String(body) });
}

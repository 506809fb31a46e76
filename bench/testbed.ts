import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { PROJECT_ROOT } from '../server/config/folders.ts';
import { openDatabase } from '../server/database/database.ts';
import { applyMigrations } from '../server/database/migrations/migrations.ts';
import { openEmbeddedPostgres } from '../server/demo/postgres/embeddedPostgres.ts';
import { hashPassword } from '../server/signIn/password.ts';
import { GRAPHQL_PATH } from '../shared/paths.ts';
import { makeThrowawayFolder } from '../tests/support/throwawayPostgres.ts';
import type { Request } from './load.ts';

/** More accounts than parallel sign-ins, so that none reaches a limit of its own. */
export const PARTNERS = 32;
export const PASSWORD = 'secreto-1';
export const CREATE_TOKEN = 'mutation { createToken { token streamUrl company expiry lifetimeSeconds } }';
const LOGIN = `mutation Login($username: String!, $password: String!) {
  login(username: $username, password: $password) { id company expiry jwt }
}`;
const BUILT_SERVER = 'dist/server/main.js';
const STREAM_BASE_URL = 'https://stream.example/mp3/icecast.audio?wmsAuthSign=';

export type Testbed = {
  databaseUrl: string;
  /**
   * Starts the built server and returns its URL.
   * @param prefix - command to run Node with, such as `taskset -c 1`
   */
  startApp(prefix?: string[]): Promise<string>;
  /** @param file - a server of the benchmark's own, relative to the project's root */
  start(file: string): Promise<string>;
};

/**
 * Runs a benchmark on a new testbed; stops everything afterwards.
 * @param providerMs - time that the provider takes to answer
 */
export async function withTestbed(work: (testbed: Testbed) => Promise<void>, providerMs = 0): Promise<void> {
  const { folder, remove } = await makeThrowawayFolder();
  const postgres = await openEmbeddedPostgres({ folder });
  const servers: Array<ReturnType<typeof launch>> = [];
  const environment = {
    DATABASE_URL: postgres.url,
    JWT_SECRET: randomBytes(32).toString('hex'),
    STREAM_BASE_URL,
    TRUST_PROXY: '1',
    NODE_ENV: 'production',
    PORT: '0',
  };
  const start = async (command: string[], changes: NodeJS.ProcessEnv) => {
    const server = launch(command, { ...environment, ...changes });
    servers.push(server);
    return addressOf(server);
  };
  try {
    await addAccounts(postgres.url);
    const provider = await start(fromSource('bench/provider.ts'), { PROVIDER_MS: String(providerMs) });
    const PROVIDER_TOKEN_URL = `${provider}/secure/audio`;
    await work({
      databaseUrl: postgres.url,
      startApp: (prefix = []) => start([...prefix, process.execPath, BUILT_SERVER], { PROVIDER_TOKEN_URL }),
      start: (file) => start(fromSource(file), { PROVIDER_TOKEN_URL }),
    });
  } finally {
    // The last one first: none may ask a provider that has gone.
    for (const server of servers.reverse()) {
      server.kill('SIGTERM');
      if (server.exitCode === null) await once(server, 'exit');
    }
    await postgres.close();
    await remove();
  }
}

function fromSource(file: string): string[] {
  return [process.execPath, '--import', 'tsx', file];
}

function launch([program = '', ...args]: string[], env: NodeJS.ProcessEnv) {
  const server = spawn(program, args, {
    cwd: PROJECT_ROOT,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => server.kill('SIGKILL'));
  return server;
}

async function addressOf({ stdout }: { stdout: Readable }): Promise<string> {
  for await (const line of createInterface(stdout)) {
    const [address] = /http:\/\/[\w.:]+/.exec(line) ?? [];
    if (address === undefined) continue;
    stdout.resume();
    return address;
  }
  throw new Error('A server ended before it listened');
}

async function addAccounts(databaseUrl: string): Promise<void> {
  await applyMigrations(databaseUrl);
  const { prisma, close } = openDatabase(databaseUrl);
  const passwordHash = await hashPassword(PASSWORD);
  const partners = Array.from({ length: PARTNERS }, (_, partner) => usernameOf(partner));
  await prisma.account.createMany({
    data: partners.map((username) => ({ username, passwordHash, company: 'Radio Uno' })),
  });
  await close();
}

export async function signIn(url: string, partner = 0): Promise<Record<string, string>> {
  const { method, headers, body } = signInRequest(partner, fromNewNetwork());
  const answer = await fetch(url + GRAPHQL_PATH, { method, headers, body } as RequestInit);
  const { data } = (await answer.json()) as { data: { login: { jwt: string } } };
  return { authorization: `Bearer ${data.login.jwt}` };
}

export function graphqlRequest(operation: object, headers: Record<string, string> = {}): Request {
  return {
    method: 'POST',
    path: GRAPHQL_PATH,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(operation),
  };
}

export function signInRequest(
  partner: number,
  headers: Record<string, string>,
  password: string = PASSWORD,
): Request {
  const variables = { username: usernameOf(partner), password };
  return graphqlRequest({ query: LOGIN, variables }, headers);
}

export function usernameOf(partner: number): string {
  return `radio-${partner % PARTNERS}@uno.example`;
}

let networks = 0;

/** The header that a proxy adds for a caller from a network that was not seen before, so that no limit applies. */
export function fromNewNetwork(): Record<string, string> {
  networks += 1;
  const network = networks.toString(16).padStart(8, '0');
  return { 'x-forwarded-for': `fd00:${network.slice(0, 4)}:${network.slice(4)}::1` };
}

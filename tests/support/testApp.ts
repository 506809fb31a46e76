import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { beforeAll } from 'vitest';
import { type AppOptions, createApp } from '../../server/app.ts';
import { openDatabase } from '../../server/database/database.ts';
import type { ErrorDetails } from '../../server/errors.ts';
import type { KeyKind } from '../../server/generated/prisma/client.ts';
import { keyHashOf, newKey } from '../../server/keys/key.ts';
import { createLog } from '../../server/observing/log.ts';
import { createServices } from '../../server/services.ts';
import { hashPassword } from '../../server/signIn/password.ts';
import { jwtSecrets } from '../../server/signIn/signedJwt.ts';
import type { StreamProvider } from '../../server/streamTokens/streamProvider.ts';
import type { TokenLimits } from '../../server/streamTokens/tokenLimits.ts';
import { HOUR_MS } from '../../shared/durations.ts';
import { openPatientDatabase, PATIENCE_MS } from './patientDatabase.ts';
import { createTestDatabase } from './testDatabase.ts';

export const STREAM_BASE_URL = 'https://stream.example/mp3/icecast.audio?wmsAuthSign=';
export const ACCOUNT = { username: 'radio@uno.example', password: 'secreto-1', company: 'Radio Uno' };

export type GraphqlAnswer = {
  status: number;
  headers: Headers;
  data: Record<string, unknown> | null | undefined;
  errors: Array<{ message: string; extensions: { code: string } & ErrorDetails }> | undefined;
  text: string;
};

type SignedIn = { id: string; company: string; expiry: string; jwt: string };

/** Hashes of passwords that a test added already: hashing takes most of the time of adding an account. */
const hashes = new Map<string, string>();

type TestAppOptions = Partial<Omit<AppOptions, 'services'>> & {
  provider?: StreamProvider;
  streamBaseUrl?: string;
  clock?: () => Date;
  databaseUrl?: string;
  jwtSecret?: string;
  tokenLimits?: TokenLimits;
  /** Keeps production's limits on the time of a query and of a sign-in's turn, which a busy machine may exceed. */
  timeLimits?: 'production';
  queryTimeoutMs?: number;
  signInWaitMs?: number;
};

/** Gives a test file an app, started before its hooks and tests and closed after them. */
export function provideTestApp(options?: TestAppOptions): TestApp {
  const app = {} as TestApp;
  beforeAll(async () => {
    Object.assign(app, await startTestApp(options));
    return app.close;
  });
  return app;
}

/** Starts the real app in this process, on a free port, with a database of its own unless `databaseUrl` is given. */
export async function startTestApp(options: TestAppOptions = {}) {
  const { provider = providerOf('dG9rZW4='), clock = () => new Date() } = options;
  const testDatabase = options.databaseUrl === undefined ? await createTestDatabase() : null;
  const databaseUrl = options.databaseUrl ?? testDatabase?.url ?? '';
  const isPatient = options.timeLimits !== 'production';
  const database = isPatient
    ? openPatientDatabase(databaseUrl, options.queryTimeoutMs)
    : openDatabase(databaseUrl);
  const { prisma } = database;
  const jwtSecret = options.jwtSecret ?? randomBytes(32).toString('hex');
  const logLines: string[] = [];
  const loggedRequests = new Set<string>();
  const logging = new EventEmitter().setMaxListeners(0);
  const write = (line: string) => {
    logLines.push(line);
    const { msg, reqId } = JSON.parse(line);
    if (msg !== 'request') return;
    loggedRequests.add(reqId);
    logging.emit(reqId);
  };
  const services = createServices({
    prisma,
    secrets: jwtSecrets(jwtSecret),
    provider,
    streamBaseUrl: options.streamBaseUrl ?? STREAM_BASE_URL,
    clock,
    signIn: { maxWaitMs: options.signInWaitMs ?? (isPatient ? PATIENCE_MS : undefined) },
    tokenLimits: options.tokenLimits,
  });
  const app = await createApp({
    database,
    logger: createLog({ level: 'trace', output: { write } }),
    sandbox: null,
    trustProxy: 0,
    clientFolder: null,
    pageConfig: { firebaseConfig: null, supportContact: null, streamCors: false },
    requestTimeoutMs: PATIENCE_MS,
    // Waiting for a request's line would never end.
    maxLinesPerMinute: Number.POSITIVE_INFINITY,
    ...options,
    services,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  /** Waits until a request is in the log: its line is written when its connection is done with it. */
  async function logged(requestId: unknown): Promise<void> {
    if (!loggedRequests.has(String(requestId))) await once(logging, String(requestId));
  }

  /** Resolves when the answer is there and the request in the log. */
  async function graphql(
    query: string,
    {
      variables,
      headers,
      signal,
    }: { variables?: Record<string, unknown>; headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<GraphqlAnswer> {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
      signal: signal ?? null,
    });
    const text = await response.text();
    if (options.logger === undefined) await logged(response.headers.get('x-request-id'));
    return { status: response.status, headers: response.headers, text, ...JSON.parse(text) };
  }

  async function login(username = ACCOUNT.username, password = ACCOUNT.password): Promise<GraphqlAnswer> {
    return graphql(LOGIN, { variables: { username, password } });
  }

  async function signIn(username?: string, password?: string): Promise<SignedIn & { cookie: string }> {
    const { data, text, headers } = await login(username, password);
    if (!data?.login) throw new Error(`The login failed: ${text}`);
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return { ...(data.login as SignedIn), cookie };
  }

  return {
    url,
    databaseUrl,
    jwtSecret,
    database,
    prisma,
    logLines,
    logged,
    graphql,
    login,
    signIn,
    async bearer(): Promise<{ authorization: string }> {
      return { authorization: `Bearer ${(await signIn()).jwt}` };
    },
    async addAccount(account: {
      id?: string;
      username: string;
      password: string;
      company: string;
      disabled?: boolean;
    }) {
      const { password, ...rest } = account;
      const passwordHash = hashes.get(password) ?? (await hashPassword(password));
      hashes.set(password, passwordHash);
      return prisma.account.create({ data: { ...rest, passwordHash } });
    },
    async addKey({
      accountId,
      name = 'Emisora',
      kind = 'TOOL',
      networks = [],
    }: {
      accountId?: string;
      name?: string;
      kind?: KeyKind;
      networks?: string[];
    } = {}): Promise<string> {
      const key = newKey(kind);
      const owner = accountId ?? (await prisma.account.findFirstOrThrow()).id;
      const expiresAt = new Date(clock().getTime() + HOUR_MS);
      const data = { accountId: owner, name, kind, keyHash: keyHashOf(key), expiresAt, networks };
      await prisma.accountKey.create({ data });
      return key;
    },
    async close() {
      await app.close();
      await provider.close();
      await database.close();
      await testDatabase?.drop();
    },
  };
}

export type TestApp = Awaited<ReturnType<typeof startTestApp>>;

export const LOGIN = `mutation Login($username: String!, $password: String!) {
  login(username: $username, password: $password) { id accountId company expiry jwt }
}`;
export const CREATE_TOKEN = 'mutation { createToken { token streamUrl company expiry lifetimeSeconds } }';
export const SESSION = '{ session { id accountId company expiry } }';
export const STREAM = '{ stream { baseUrl lifetimeSeconds } }';
export const LOGOUT = 'mutation { logout }';

export function providerOf(answer: string | Error): StreamProvider {
  return {
    async fetchToken() {
      if (answer instanceof Error) throw answer;
      return answer;
    },
    async close() {},
  };
}

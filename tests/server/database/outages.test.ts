import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { applyMigrations } from '../../../server/database/migrate.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../../server/demo/embeddedPostgres.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy.ts';
import { ACCOUNT, CREATE_TOKEN, LOGOUT, SESSION, startTestApp, type TestApp } from '../../support/testApp.ts';
import {
  makeThrowawayFolder,
  postmasterPid,
  THROWAWAY_SETTINGS,
  type ThrowawayFolder,
} from '../../support/throwawayPostgres.ts';

vi.setConfig({ testTimeout: 60_000 });

let throwaway: ThrowawayFolder;
let postgres: EmbeddedPostgres;
let proxy: TcpProxy;
let app: TestApp;
let headers: { authorization: string };

beforeAll(async () => {
  throwaway = await makeThrowawayFolder();
  postgres = await openEmbeddedPostgres({ folder: throwaway.folder, settings: THROWAWAY_SETTINGS });
  await applyMigrations(postgres.url);
  const url = new URL(postgres.url);
  proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  app = await startTestApp({ databaseUrl: url.href });
  await app.addAccount(ACCOUNT);
  headers = await app.bearer();
});
afterAll(async () => {
  await app.close();
  proxy.close();
  await postgres.close();
  await throwaway.remove();
});

/** Again, on the same data; the port may be another one. */
async function startPostgres(): Promise<void> {
  postgres = await openEmbeddedPostgres({ folder: throwaway.folder, settings: THROWAWAY_SETTINGS });
  proxy.leadTo(Number(new URL(postgres.url).port));
}

async function connectionPids(): Promise<number[]> {
  const rows = await app.prisma.$queryRaw<
    Array<{ pid: number }>
  >`SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'`;
  return rows.map(({ pid }) => pid);
}

async function everythingIsUnavailable() {
  const answers = await Promise.all([
    app.login(),
    app.graphql(SESSION, { headers }),
    app.graphql(CREATE_TOKEN, { headers }),
    app.graphql(LOGOUT, { headers }),
  ]);
  for (const { status, errors, text } of answers) {
    expect(status).toBe(200);
    expect(errors?.map((error) => error.extensions.code)).toEqual(['DATABASE_UNAVAILABLE']);
    expect(text).not.toMatch(/127\.0\.0\.1|prisma|postgres/i);
  }
  // Signing out takes the session from the browser all the same.
  expect(answers.at(-1)?.headers.getSetCookie()[0]).toMatch(/^session=;/);
  expect((await fetch(`${app.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
}

async function everythingWorks() {
  await expect.poll(async () => (await fetch(`${app.url}/readyz`)).status, { timeout: 2_000 }).toBe(200);
  expect((await app.graphql(SESSION, { headers })).data?.session).toMatchObject({ company: 'Radio Uno' });
  expect((await app.graphql(CREATE_TOKEN, { headers })).errors).toBeUndefined();
}

describe('the database', () => {
  test('frozen, every operation answers DATABASE_UNAVAILABLE, and all is well again when it thaws', async () => {
    const frozen = [await postmasterPid(postgres.folder), ...(await connectionPids())];
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    try {
      await everythingIsUnavailable();
    } finally {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
    }
    await everythingWorks();
  });

  test('killed and started again, it is found by itself, and no session is lost', async () => {
    process.kill(await postmasterPid(postgres.folder), 'SIGKILL');
    await everythingIsUnavailable();
    await startPostgres();
    await everythingWorks();
  });

  test.each([
    ['fast', 'SIGINT'],
    ['immediate', 'SIGQUIT'],
  ])(
    'stopped with a query under way (pg_ctl stop -m %s) and started again, it is found by itself',
    async (_mode, signal) => {
      const holder = new pg.Client({ connectionString: postgres.url });
      holder.on('error', () => {});
      await holder.connect();
      await holder.query('BEGIN');
      await holder.query('LOCK TABLE sessions');
      const answer = app.graphql(CREATE_TOKEN, { headers });
      await vi.waitFor(async () => {
        const { rowCount } = await holder.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        expect(rowCount).toBe(1);
      });
      process.kill(await postmasterPid(postgres.folder), signal);
      expect((await answer).errors).toMatchObject([{ extensions: { code: 'DATABASE_UNAVAILABLE' } }]);
      await vi.waitFor(async () => expect((await fetch(`${app.url}/readyz`)).status).toBe(503));
      await everythingIsUnavailable();
      await startPostgres();
      await everythingWorks();
      await holder.end();
    },
  );

  test('whose connections are ended in between is asked again over new ones', async () => {
    await app.prisma.$queryRaw`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;
    await everythingWorks();
  });

  test('shows its address in no log line, whatever happened to it', () => {
    const { password } = new URL(postgres.url);
    const log = app.logLines.join('\n');
    expect(log).toContain('DATABASE_UNAVAILABLE');
    expect(log).not.toContain(password);
    expect(log).not.toContain(`:${proxy.port}`);
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
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
  expect((await fetch(`${app.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
}

async function everythingWorks() {
  await expect.poll(async () => (await fetch(`${app.url}/readyz`)).status).toBe(200);
  expect((await app.graphql(SESSION, { headers })).data?.session).toMatchObject({ company: 'Radio Uno' });
  expect((await app.graphql(CREATE_TOKEN, { headers })).errors).toBeUndefined();
}

test('a database that is killed is unavailable for everything; started again, it is found by itself, and no session is lost', async () => {
  process.kill(await postmasterPid(postgres.folder), 'SIGKILL');
  await everythingIsUnavailable();
  // Started again, it may listen on another port.
  postgres = await openEmbeddedPostgres({ folder: throwaway.folder, settings: THROWAWAY_SETTINGS });
  proxy.leadTo(Number(new URL(postgres.url).port));
  await everythingWorks();
  expect(app.logLines.join('')).toContain('DATABASE_UNAVAILABLE');
});

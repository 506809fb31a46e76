import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { deleteAccount } from '../../server/cli/accounts.ts';
import { addKey } from '../../server/cli/keys.ts';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { applyMigrations } from '../../server/database/migrate.ts';
import { ACCOUNT, CREATE_TOKEN, LOGOUT, SESSION, startTestApp } from '../support/testApp.ts';
import { startSystemPostgres } from './systemPostgres.ts';

// Creates a PostgreSQL cluster, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const DAY_MS = 86_400_000;
const OPERATOR = 'ana';
const OTHER = { username: 'radio@dos.example', password: 'secreto-2', company: 'Radio Dos' };

/** Returns the commands of docs/operations.md, in its order. */
async function commandsOfThePage() {
  const page = await readFile(path.join(PROJECT_ROOT, 'docs', 'operations.md'), 'utf8');
  const section = page.split('\n## ').find((part) => part.startsWith('Back up and restore\n')) ?? '';
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  if (blocks.length !== 4) throw new Error('The page has other commands than to back up and to restore');
  const [backUp = '', backUpContainer = '', restore = '', restoreContainer = ''] = blocks;
  return { backUp, backUpContainer, restore, restoreContainer };
}

/** Shell functions in place of `sudo` and `docker compose exec`, which run the command here. */
const STAND_INS = `
sudo() { [ "$1 $2" = '-u postgres' ] && shift 2 && PGUSER=postgres "$@"; }
docker() { case "$1 $2 $3 $4" in 'compose exec -T database' | 'compose exec -T app-1') shift 4 && "$@" ;; *) false ;; esac; }
`;

/** Returns every row of every table, as text. */
async function contentOf(url: string): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
    );
    const content: Record<string, string[]> = {};
    for (const { name } of tables) {
      const { rows } = await client.query(`SELECT t::text AS row FROM "${name}" t ORDER BY 1`);
      content[name] = rows.map(({ row }) => row);
    }
    return content;
  } finally {
    await client.end();
  }
}

test('the commands of docs/operations.md back up a running service and restore it completely, and it works', async () => {
  const postgres = await startSystemPostgres();
  const folder = await mkdtemp(path.join(tmpdir(), 'audio-backup-'));
  onTestFinished(async () => {
    await postgres.close();
    await rm(folder, { recursive: true });
  });
  const restoredUrl = Object.assign(new URL(postgres.url), { pathname: '/audio_restored' }).href;
  const { backUp, backUpContainer, restore, restoreContainer } = await commandsOfThePage();
  const run = (commands: string, databaseUrl = postgres.url) =>
    promisify(execFile)('bash', ['-euo', 'pipefail', '-c', STAND_INS + commands], {
      cwd: folder,
      env: {
        ...postgres.env,
        DATABASE_URL: databaseUrl,
        RESTORED_URL: restoredUrl,
      },
    });

  const applied = await applyMigrations(postgres.url);
  const before = await startTestApp({ databaseUrl: postgres.url });
  onTestFinished(() => before.close());
  const { id } = await before.addAccount(ACCOUNT);
  await before.addAccount({ ...OTHER, disabled: true });
  const headers = await before.bearer();
  const ended = await before.bearer();
  await before.graphql(LOGOUT, { headers: ended });
  await before.login(ACCOUNT.username, 'equivocada');
  for (let call = 0; call < 3; call += 1) await before.graphql(CREATE_TOKEN, { headers });
  const former = { ...OTHER, username: 'radio@tres.example' };
  await before.addAccount(former);
  await deleteAccount(before.prisma, OPERATOR, former.username, async () => true);
  const key = await addKey(before.prisma, {
    username: ACCOUNT.username,
    name: 'playout',
    operator: OPERATOR,
    kind: 'TOOL',
    expiresAt: new Date(Date.now() + DAY_MS),
  });
  // The previous release counts attempts like this.
  await before.prisma.signInCount.create({
    data: { key: Buffer.from('key'), attempts: 1, expiresAt: new Date() },
  });
  const content = await contentOf(postgres.url);
  expect(Object.values(content).every((rows) => rows.length > 0)).toBe(true);
  expect(content).toMatchObject({
    accounts: { length: 2 },
    sessions: { length: 1 },
    token_records: { length: 3 },
  });

  await run(backUp);
  const late = await before.signIn();
  await run(restore);

  expect(await contentOf(restoredUrl)).toEqual(content);
  await postgres.asSuperuser('ALTER DATABASE audio_restored RENAME TO audio_by_role');
  await run(restoreContainer);
  expect(await contentOf(restoredUrl)).toEqual(content);
  // The backup is of the database that the instances use: `content`, not the former database with its later session.
  await run(backUpContainer, restoredUrl);
  await postgres.asSuperuser('DROP DATABASE audio_restored');
  await run(restoreContainer);
  expect(await contentOf(restoredUrl)).toEqual(content);
  await postgres.asSuperuser('DROP DATABASE audio_restored');
  await postgres.asSuperuser('ALTER DATABASE audio_by_role RENAME TO audio_restored');
  const warnings: string[] = [];
  expect(await applyMigrations(restoredUrl, { onWarning: (message) => warnings.push(message) })).toEqual([]);
  expect(warnings).toEqual([]);
  expect(content._prisma_migrations?.length).toBe(applied.length);

  const { jwtSecret } = before;
  const after = await startTestApp({ databaseUrl: restoredUrl, jwtSecret });
  onTestFinished(() => after.close());
  const sessionBy = async (authorization: { authorization: string }) =>
    (await after.graphql(SESSION, { headers: authorization })).data?.session;
  expect(await sessionBy(headers)).toMatchObject({ id, company: ACCOUNT.company });
  expect(await sessionBy({ authorization: `Bearer ${key}` })).toMatchObject({ id });
  expect(await sessionBy(ended)).toBe(null);
  expect(await sessionBy({ authorization: `Bearer ${late.jwt}` })).toBe(null);
  expect((await after.graphql(CREATE_TOKEN, { headers })).data?.createToken).toMatchObject({
    company: ACCOUNT.company,
  });
  expect((await contentOf(restoredUrl)).token_records?.length).toBe(4);
  expect((await after.signIn()).id).toBe(id);
  expect((await after.login(OTHER.username, OTHER.password)).errors?.[0]?.extensions.code).toBe(
    'INVALID_CREDENTIALS',
  );

  const withNewSecret = await startTestApp({ databaseUrl: restoredUrl });
  onTestFinished(() => withNewSecret.close());
  expect((await withNewSecret.graphql(SESSION, { headers })).data?.session).toBe(null);
});

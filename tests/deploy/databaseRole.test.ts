import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { applyMigrations } from '../../server/database/migrate.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ACCOUNT, startTestApp } from '../support/testApp.ts';
import { ROLE_PASSWORD, startSystemPostgres } from './systemPostgres.ts';

// Creates a PostgreSQL cluster, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

type Postgres = Awaited<ReturnType<typeof startSystemPostgres>>;

const ROLES = `
  SELECT rolname AS name, rolcanlogin AS "canLogin", left(rolpassword, 13) AS password,
    rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls AS "mayMore"
  FROM pg_authid WHERE rolname !~ '^pg_' ORDER BY 1`;
const AUDIO = { name: 'audio', canLogin: true, password: 'SCRAM-SHA-256', mayMore: false };
const POSTGRES = { name: 'postgres', canLogin: true, password: null, mayMore: true };
const OWNERS = `
  SELECT datname AS name, datdba::regrole::text AS owner FROM pg_database WHERE datname ~ '^audio' ORDER BY 1`;

async function start(...superuser: Parameters<typeof startSystemPostgres>): Promise<Postgres> {
  const postgres = await startSystemPostgres(...superuser);
  onTestFinished(() => postgres.close());
  return postgres;
}

test('the instances’ database role owns its database, has no other rights, and can apply the migrations', async () => {
  const postgres = await start();
  expect(await postgres.asSuperuser(ROLES)).toEqual([AUDIO, POSTGRES]);
  expect(await postgres.asSuperuser(OWNERS)).toEqual([{ name: 'audio', owner: 'audio' }]);
  expect(await applyMigrations(postgres.url)).not.toEqual([]);
});

test('docs/upgrade-volume.sh separates the instances’ role from the superuser in a volume where they were one', async () => {
  const postgres = await start('audio');
  await applyMigrations(postgres.url);
  const before = await startTestApp({ databaseUrl: postgres.url });
  const { id } = await before.addAccount(ACCOUNT);
  await before.close();

  const commands = readFileSync(path.join(PROJECT_ROOT, 'docs', 'upgrade-volume.sh'), 'utf8');
  // Without docker: commands for containers run here, with the mounted file's path on this machine.
  const standIn = `docker() { case "$1 $2 $3 $4" in 'compose exec -T '*) shift 4; "$@";; esac; }\n`;
  const mounted = commands.replace(
    '/docker-entrypoint-initdb.d/audio.sql',
    path.join(PROJECT_ROOT, 'docs', 'database.sql'),
  );
  await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', standIn + mounted], {
    cwd: temporaryFolder(),
    env: { ...postgres.env, DATABASE_URL: postgres.url, POSTGRES_PASSWORD: ROLE_PASSWORD },
  });

  expect(await postgres.asSuperuser(ROLES, 'postgres')).toEqual([
    AUDIO,
    { ...AUDIO, name: 'audio_before', canLogin: false, mayMore: true },
    POSTGRES,
  ]);
  expect(await postgres.asSuperuser(OWNERS, 'postgres')).toEqual([
    { name: 'audio', owner: 'audio' },
    { name: 'audio_before', owner: 'audio_before' },
  ]);
  expect(await applyMigrations(postgres.url)).toEqual([]);
  const after = await startTestApp({ databaseUrl: postgres.url });
  onTestFinished(() => after.close());
  expect((await after.signIn()).id).toBe(id);
});

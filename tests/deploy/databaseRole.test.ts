import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { applyMigrations } from '../../server/database/migrations/migrations.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startSystemPostgres } from './systemPostgres.ts';

// Creates a PostgreSQL cluster, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const ROLES = `
  SELECT rolname AS name, rolcanlogin AS "canLogin", left(rolpassword, 13) AS password,
    rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls AS "mayMore"
  FROM pg_authid WHERE rolname !~ '^pg_' ORDER BY 1`;
const AUDIO = { name: 'audio', canLogin: true, password: 'SCRAM-SHA-256', mayMore: false };
const POSTGRES = { name: 'postgres', canLogin: true, password: null, mayMore: true };
const OWNERS = `
  SELECT datname AS name, datdba::regrole::text AS owner FROM pg_database WHERE datname ~ '^audio' ORDER BY 1`;

/** Starts a server as the container's image does, before it runs deploy/database.sql. */
async function startImage() {
  const postgres = await startSystemPostgres();
  onTestFinished(() => postgres.close());
  await postgres.asSuperuser("ALTER ROLE postgres PASSWORD '5ec2e7'");
  return postgres;
}

function run({ env }: { env: Record<string, string> }, command: string) {
  return spawnSync('sh', ['-c', command], {
    cwd: PROJECT_ROOT,
    env: { ...env, POSTGRES_PASSWORD: '5ec2e7' },
    encoding: 'utf8',
  });
}

const CREATE = 'psql --quiet --username=postgres --file=deploy/database.sql';

test('the instances’ database role has no rights beyond its database', async () => {
  const postgres = await startImage();
  // The second time it finds everything.
  expect([run(postgres, CREATE).status, run(postgres, CREATE).status]).toEqual([0, 0]);
  expect(await postgres.asSuperuser(ROLES)).toEqual([AUDIO, POSTGRES]);
  expect(await postgres.asSuperuser(OWNERS)).toEqual([{ name: 'audio', owner: 'audio' }]);
  expect(await applyMigrations(postgres.url)).not.toEqual([]);
});

test('a volume without the role is unhealthy, and the log says what to do', async () => {
  const postgres = await startImage();
  const { services } = parse(readFileSync(path.join(PROJECT_ROOT, 'compose.yaml'), 'utf8'));
  const log = path.join(temporaryFolder(), 'log');
  const check = services.database.healthcheck.test.replace('/proc/1/fd/2', log);
  expect(run(postgres, check).status).toBe(1);
  const [, advice = ''] =
    /run: docker compose exec -T database (.*); docker compose restart database$/m.exec(
      readFileSync(log, 'utf8'),
    ) ?? [];
  expect(run(postgres, advice).status).toBe(0);
  expect(run(postgres, check)).toMatchObject({ status: 0, stderr: '' });
  // A restored database has another name.
  await postgres.asSuperuser('ALTER DATABASE audio RENAME TO audio_restored');
  expect(run(postgres, check).status).toBe(0);
  expect(await applyMigrations(`${postgres.url}_restored`)).not.toEqual([]);
});

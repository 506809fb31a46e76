import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { applyMigrations } from '../../server/database/migrations/migrations.ts';
import { requirePostgresFolder } from '../support/testTools.ts';
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

test('the instances’ database role has no rights beyond its database', async () => {
  const postgres = await startSystemPostgres();
  onTestFinished(() => postgres.close());
  // As the container's image does.
  await postgres.asSuperuser("ALTER ROLE postgres PASSWORD '5ec2e7'");
  execFileSync(
    path.join(requirePostgresFolder(), 'psql'),
    ['--quiet', '--username=postgres', '--file=deploy/database.sql'],
    {
      cwd: PROJECT_ROOT,
      env: { ...postgres.env, POSTGRES_PASSWORD: '5ec2e7' },
    },
  );
  expect(await postgres.asSuperuser(ROLES)).toEqual([AUDIO, POSTGRES]);
  expect(await postgres.asSuperuser(OWNERS)).toEqual([{ name: 'audio', owner: 'audio' }]);
  expect(await applyMigrations(postgres.url)).not.toEqual([]);
});

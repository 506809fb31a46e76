import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { applyMigrations } from '../../server/database/migrations.ts';
import { query } from '../support/query.ts';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';
import { ACCOUNT, CREATE_TOKEN, SESSION, startTestApp } from '../support/testApp.ts';
import { commandsOf, operatorsMachine, settingOf } from './operatorsMachine.ts';
import { ROLE_PASSWORD, startSystemPostgres } from './systemPostgres.ts';

// Creates a PostgreSQL cluster, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const DAY_MS = 86_400_000;

/**
 * In place of the programs that change the user or enter a container, which run the command here; the last line of `arguments` has what
 * the list of processes would show.
 */
const STAND_INS = `
runuser() { printf '%s\\n' "$*" >> arguments; [ "$1 $2 $3" = '-u postgres --' ] && shift 3 && PGUSER=postgres "$@"; }
docker() {
  local environment=()
  while [ "$1" != database ]; do
    case $1 in
      --env) environment=("$2") && shift ;;
      --project-directory) shift ;;
      compose | exec | -T) ;;
      *) return 1 ;;
    esac
    shift
  done
  env "\${environment[@]}" "\${@:2}"
}
export -f runuser docker
`;
/** Returns every row of every table, as text. */
async function contentOf(url: string): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  const tables = await query(url, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
  for (const { name } of tables) {
    const rows = await query(url, `SELECT t::text AS row FROM "${name}" t ORDER BY 1`);
    content[name] = rows.map(({ row }) => row);
  }
  return content;
}

test('the commands of docs/operations.md restore all of a running service', async () => {
  const postgres = await startSystemPostgres();
  onTestFinished(() => postgres.close());
  const restoredUrl = Object.assign(new URL(postgres.url), { pathname: '/audio_restored' }).href;
  const [install = '', containers = '', restore = '', restoreContainer = ''] = commandsOf(
    'Back up and restore',
    4,
  );
  const { project, file, read, run, remove } = operatorsMachine(postgres.env, STAND_INS);
  onTestFinished(remove);
  for (const folder of ['opt/audio', 'var/lib/audio-backup']) mkdirSync(file(folder), { recursive: true });
  symlinkSync(path.join(PROJECT_ROOT, 'deploy'), path.join(project, 'deploy'));
  /** Does what the unit does, with its drop-in once there is one. */
  const backUp = () => {
    const dropIn = 'etc/systemd/system/audio-backup.service.d/containers.conf';
    const unit = read('etc/systemd/system/audio-backup.service');
    const command = settingOf(existsSync(file(dropIn)) ? unit + read(dropIn) : unit, 'ExecStart');
    return run(`export STATE_DIRECTORY=/var/lib/audio-backup\n${command}`);
  };
  const address = Object.assign(new URL(postgres.url), { password: ROLE_PASSWORD, search: '?a=/b' }).href;
  write(file('etc'), 'audio.env', `JWT_SECRET=x\nDATABASE_DIRECT_URL=\nDATABASE_URL=${address}\n`);

  await applyMigrations(postgres.url);
  const before = await startTestApp({ databaseUrl: postgres.url });
  onTestFinished(() => before.close());
  const { id } = await before.addAccount(ACCOUNT);
  const headers = await before.bearer();
  await before.login(ACCOUNT.username, 'equivocada');
  await before.graphql(CREATE_TOKEN, { headers });
  const content = await contentOf(postgres.url);
  expect(content).toMatchObject({
    accounts: { length: 1 },
    // The tool's and the browser's of one sign-in.
    sessions: { length: 2 },
    token_records: { length: 1 },
    attempts: { length: 2 },
  });

  await run(install);
  await backUp();
  expect(readFileSync(path.join(project, 'arguments'), 'utf8')).not.toContain(ROLE_PASSWORD);
  await before.signIn();
  await run(restore);

  expect(await contentOf(restoredUrl)).toEqual(content);
  await postgres.asSuperuser('ALTER DATABASE audio_restored RENAME TO audio_by_role');
  await run(restoreContainer);
  expect(await contentOf(restoredUrl)).toEqual(content);
  // The backup is of the database that the instances use: `content`, not the former database with its later session.
  await run(containers);
  write(file('opt/audio'), '.env', 'POSTGRES_DATABASE=audio_restored\n');
  await backUp();
  await postgres.asSuperuser('DROP DATABASE audio_restored');
  await run(restoreContainer);
  expect(await contentOf(restoredUrl)).toEqual(content);
  await postgres.asSuperuser('DROP DATABASE audio_restored');
  await postgres.asSuperuser('ALTER DATABASE audio_by_role RENAME TO audio_restored');
  expect(await applyMigrations(restoredUrl)).toEqual([]);

  const after = await startTestApp({ databaseUrl: restoredUrl, jwtSecret: before.jwtSecret });
  onTestFinished(() => after.close());
  expect((await after.graphql(SESSION, { headers })).data?.session).toMatchObject({ id });
  expect((await after.graphql(CREATE_TOKEN, { headers })).data?.createToken).toBeTruthy();
});

describe('deploy/backup.sh', () => {
  const backUpBy = (command: string, folder: string, env: Record<string, string> = {}) =>
    promisify(execFile)('deploy/backup.sh', [path.join(folder, 'variables'), command], {
      cwd: PROJECT_ROOT,
      env: { PATH: process.env.PATH, STATE_DIRECTORY: folder, ...env },
    });
  const VARIABLES = { variables: 'DATABASE_URL=postgresql://audio@localhost/audio\n' };

  test('leaves no file when it fails', async () => {
    const folder = temporaryFolder(VARIABLES);
    await expect(backUpBy('false', folder)).rejects.toMatchObject({ code: 1 });
    expect(readdirSync(folder)).toEqual(['variables']);
  });

  test.each([
    ['DATABASE_URL="postgresql://audio:a@db.example/partners?sslmode=verify-full"', 'partners'],
    ["DATABASE_URL='postgresql://audio@/partners'", 'partners'],
    ['DATABASE_DIRECT_URL=""\nPOSTGRES_DATABASE="restored"', 'restored'],
  ])('finds the database of %s', async (line, database) => {
    const folder = temporaryFolder({ variables: `${line}\n` });
    await backUpBy('echo', folder);
    const [backup = ''] = readdirSync(folder);
    expect(readFileSync(path.join(folder, backup), 'utf8')).toMatch(new RegExp(` ${database}\\n$`));
  });

  test('tells Prometheus its time once it has succeeded', async () => {
    const folder = temporaryFolder({ ...VARIABLES, 'metrics/.keep': '' });
    const metrics = path.join(folder, 'metrics');
    await expect(backUpBy('false', folder, { TEXTFILE_DIRECTORY: metrics })).rejects.toThrow();
    expect(readdirSync(metrics)).toEqual(['.keep']);
    const before = Math.floor(Date.now() / 1_000);
    await backUpBy('true', folder, { TEXTFILE_DIRECTORY: metrics });
    const file = path.join(metrics, 'audio-backup.prom');
    const [, time] = /^audio_backup_timestamp_seconds (\d+)\n$/.exec(readFileSync(file, 'utf8')) ?? [];
    expect(Number(time)).toBeGreaterThanOrEqual(before);
    // The exporter runs as a user of its own.
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  test('removes backups of more than 14 days ago', async () => {
    const folder = temporaryFolder({ ...VARIABLES, 'audio-old.dump': '', 'audio-recent.dump': '' });
    const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
    utimesSync(path.join(folder, 'audio-old.dump'), daysAgo(16), daysAgo(16));
    utimesSync(path.join(folder, 'audio-recent.dump'), daysAgo(13), daysAgo(13));
    await backUpBy('true', folder);
    expect(readdirSync(folder)).toEqual([
      expect.stringMatching(/^audio-\d{8}T\d{6}Z\.dump$/),
      'audio-recent.dump',
      'variables',
    ]);
  });
});

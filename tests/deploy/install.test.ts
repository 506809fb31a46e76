import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { applyMigrations } from '../../server/database/migrations/migrations.ts';
import { startDemoProvider } from '../../server/demo/demoProvider.ts';
import { freePort } from '../support/freePort.ts';
import { query } from '../support/query.ts';
import { becomesReady, stopServer } from '../support/serverProcess.ts';
import { write } from '../support/temporaryFolder.ts';
import { composed } from './composed.ts';
import {
  CREATE_DATABASE,
  installService,
  launchInstance,
  MAKE_FOLDER,
  PASSWORD,
  variablesIn,
  withPassword,
} from './installation.ts';
import { AUDIO, commandsOf, exported, OPERATIONS, operatorsMachine, settingOf } from './operatorsMachine.ts';
import { type SystemPostgres, startSystemPostgres } from './systemPostgres.ts';

// Builds the project, on machines that may be busy.
vi.setConfig({ testTimeout: 180_000 });

describe('the commands of docs/operations.md', () => {
  let machine: ReturnType<typeof operatorsMachine>;
  let postgres: SystemPostgres;

  beforeAll(async () => {
    postgres = await startSystemPostgres();
    const provider = await startDemoProvider({ host: '127.0.0.1', port: 0 });
    const [port, metricsPort] = [await freePort(), await freePort()];
    machine = operatorsMachine(
      { ...postgres.env, SUDO_USER: 'operadora' },
      {
        'https://audio.example/graphql': `http://127.0.0.1:${port}/graphql`,
      },
    );
    write(machine.file('etc/nginx'), 'nginx.conf', 'of other sites');

    await machine.run(CREATE_DATABASE);
    const variables = {
      DATABASE_URL: withPassword(postgres.url),
      JWT_SECRET: 'a secret of the test, of 32 bytes or more',
      PROVIDER_TOKEN_URL: provider.tokenUrl,
      STREAM_BASE_URL: provider.streamBaseUrl,
    };
    await installService(machine, variables, `umask 077\n${MAKE_FOLDER}`);

    const server = launchInstance(machine, port, metricsPort);
    await becomesReady(server, port);
    return async () => {
      await stopServer(server, 'SIGTERM');
      await provider.close();
      await postgres.close();
      machine.remove();
    };
  }, 600_000);

  test('install a program that every user may read, whatever the umask of its builder', () => {
    expect(machine.modeOf('opt/audio')).toBe(0o755);
    const program = realpathSync(machine.file('opt/audio'));
    const files = readdirSync(program, { recursive: true, encoding: 'utf8' });
    const unreadable = files.filter((name) => (statSync(path.join(program, name)).mode & 0o044) !== 0o044);
    expect(unreadable).toEqual([]);
  });

  test('give nginx the public name', () => {
    expect(machine.read('etc/nginx/nginx.conf')).toBe('of other sites');
    const site = machine.read('etc/nginx/conf.d/audio.conf');
    expect(site.match(/^ +server(?:_name)? .*;$/gm)).toEqual([
      '    server 127.0.0.1:4000 max_fails=0;',
      '    server 127.0.0.1:4001 max_fails=0;',
      '    server_name _;',
      '    server_name _;',
      '    server_name audio.example "";',
      '    server_name localhost checks.invalid;',
    ]);
  });

  test('check the running service', async () => {
    expect(await machine.run(`${AUDIO}audio check`)).toMatch(
      /^WARN environment: .*http:.*\n(?:ok .*\n){7}(?:.*\n)*$/,
    );
    expect(await machine.run(`${AUDIO}audio migrate`)).toBe('There is nothing to apply\n');
  });

  test.each(['main', 'check'])('%s.js ends with 78 where the demo is not installed', async (entry) => {
    const env = { PATH: process.env.PATH, DATABASE_URL: postgres.url };
    const run = promisify(execFile)(process.execPath, [`dist/server/${entry}.js`], {
      cwd: machine.file('opt/audio'),
      env,
    });
    await expect(run).rejects.toMatchObject({ code: 78 });
  });

  test('check names only what is missing where the demo is not installed', async () => {
    const STREAM_BASE_URL = 'https://stream.example/audio?wmsAuthSign=';
    const env = { PATH: process.env.PATH, DATABASE_URL: postgres.url, STREAM_BASE_URL };
    const run = promisify(execFile)(process.execPath, ['dist/server/check.js'], {
      cwd: machine.file('opt/audio'),
      env,
    });
    await expect(run).rejects.toMatchObject({
      stdout: expect.stringMatching(
        /^FAILED provider: PROVIDER_TOKEN_URL is required: the demo is not installed here$/m,
      ),
    });
  });

  const importing = (id: string) => `${AUDIO}audio account import - <<< '\
    {"id":"${id}","username":"radio@${id}.example","password":"secreto","company":"Radio ${id}"}'`;

  test("manage accounts in the operator's name", async () => {
    await machine.run(importing('uno'));
    expect(await machine.run(`${AUDIO}audio account list`)).toContain('radio@uno.example  Radio uno');
    expect(await machine.run(`${AUDIO}audio account audit`)).toContain('  operadora  import ');
  });

  test('hand over what systemd would take for its own', async () => {
    const words = 'Con $todo, $$ y %h';
    await machine.run(`${AUDIO}audio account notice set '${words}'`);
    expect(await machine.run(`${AUDIO}audio account notice show`)).toContain(words);
    await machine.run(`${AUDIO}audio account notice clear`);
  });

  test('run account commands in a container', async () => {
    expect(await machine.run("deploy/audio.sh account usage --company 'Radio Uno'")).toBe(
      'SUDO_USER=operadora app-1 node dist/server/account.js usage --company Radio Uno ',
    );
  });

  test('let a monitoring account hear the stream', async () => {
    const { run, read, modeOf, here } = machine;
    const [monitor = '', replaceKey = ''] = commandsOf('Know of an outage before kick-off', 2);
    expect(await run(AUDIO + monitor)).toBe('');
    expect(modeOf('etc/audio-monitor.env')).toBe(0o600);
    const unit = read('etc/systemd/system/audio-monitor.service');
    expect(settingOf(unit, 'EnvironmentFile')).toBe('/etc/audio-monitor.env');
    const env = { PATH: process.env.PATH, ...variablesIn(read('etc/audio-monitor.env')) };
    const { stdout } = await promisify(execFile)(here(settingOf(unit, 'ExecStart')), { env });
    expect(stdout).toMatch(/^Heard the stream for 8 s: status 200, audio\/mpeg, loudest -\d+ dB\n$/);
    expect(await run(`${AUDIO}audio account usage --company Monitor`)).toMatch(/Monitor .* 1\b/);
    const before = variablesIn(read('etc/audio-monitor.env'));
    await run(AUDIO + replaceKey);
    const replaced = variablesIn(read('etc/audio-monitor.env'));
    expect(replaced).toEqual({ ...before, AUDIO_KEY: expect.stringMatching(/^aop_tool_/) });
    expect(replaced.AUDIO_KEY).not.toBe(before.AUDIO_KEY);
  });

  const drop = () => postgres.asSuperuser('DROP DATABASE audio_restored');
  const restored = () => contentOf(`${postgres.url}_restored`);
  /** Does what the unit does, with its drop-ins. */
  const backUp = (dropIn = '') => {
    const unit = machine.read('etc/systemd/system/audio-backup.service') + dropIn;
    const environment = settingOf(unit, 'Environment');
    return machine.run(`
      ${exported(machine.read('etc/audio.env'))}
      export STATE_DIRECTORY=/var/lib/audio-backup AUDIO_BACKUP_PATIENCE=0 ${environment}
      ${settingOf(unit, 'ExecStart')}`);
  };
  const backUpContainers = async (dotEnv: string) => {
    const { 'app-1': instance } = await composed(dotEnv);
    write(machine.project, '.env', dotEnv);
    await machine.run(`DESTDIR=${machine.file('ofContainers')} deploy/install.sh --containers . --http`);
    write(machine.project, 'instance-database', `${instance?.environment.DATABASE_URL}\n`);
    await backUp(machine.read('ofContainers/etc/systemd/system/audio-backup.service.d/containers.conf'));
  };
  const documented = () =>
    variablesOfContainers()
      .map((name) => `${name}=${PASSWORD}\n`)
      .join('');
  const [copyBackups = '', , restore = '', restoreBesideNewerPrograms = '', , restoreInContainers = ''] =
    commandsOf('Back up and restore', 6);

  test('back up and restore everything', async () => {
    const { run, read, file } = machine;
    await run(importing('uno'));
    const content = await contentOf(postgres.url);
    await backUp();
    await run(importing('later'));
    await run(restore);
    expect(await restored()).toEqual(content);
    await drop();
    const newerPrograms =
      'pg_restore() { echo \'SET transaction_timeout = 0;\'; command pg_restore "$@"; }\n';
    const create = restore.replace(/^.*pg_restore .*\n/m, '');
    await run(newerPrograms + create + restoreBesideNewerPrograms);
    expect(await restored()).toEqual(content);
    write(file('etc'), 'restored.env', read('etc/audio.env').replace(/^DATABASE_URL=.*$/m, '$&_restored'));
    expect(await run(`${AUDIO.replace('audio.env', 'restored.env')}audio check`)).toMatch(
      /^WARN environment: .*\n(?:ok .*\n){7}/,
    );

    // The backup is of the database that the instances use, not of the former one with its later account.
    await backUpContainers(`${documented()}export POSTGRES_DATABASE=audio_restored\n`);
    await drop();
    await run(restoreInContainers);
    expect(await restored()).toEqual(content);
    await drop();
  });

  test('bring a machine of 2.0.0 to this release', async () => {
    const { run, read, file, modeOf } = machine;
    const former = (name: string) =>
      readFileSync(path.join(import.meta.dirname, 'release-2.0.0', name), 'utf8');
    const site = read('etc/nginx/conf.d/audio.conf');
    rmSync(file('var/lib/audio-install'), { recursive: true });
    write(file('usr/local/sbin'), 'audio-backup', former('backup.sh'));
    write(file('etc/systemd/system'), 'audio-backup.service', former('audio-backup.service'));
    write(file('etc/systemd/system'), 'audio-alarm@.service', former('audio-alarm@.service'));
    const formerSite = former('nginx.conf')
      .replace(/\$\{PUBLIC_HOST\}/g, 'audio.example')
      .replaceAll('app-1:4000', '127.0.0.1:4000')
      .replaceAll('app-2:4000', '127.0.0.1:4001');
    write(file('etc/nginx/conf.d'), 'audio.conf', formerSite);
    // An operator's own command.
    const unit = 'audio-alarm@.service';
    const command = 'ExecStart=/bin/mail oncall';
    write(
      file('etc/systemd/system'),
      unit,
      read(`etc/systemd/system/${unit}`).replace(/^ExecStart=.*$/m, command),
    );
    await run(`DESTDIR=${file('')} /opt/audio/deploy/install.sh`);
    expect(read('etc/nginx/conf.d/audio.conf')).toBe(site);
    expect(read('usr/local/sbin/audio-backup')).toBe(read('opt/audio/deploy/backup.sh'));
    expect(modeOf('usr/local/sbin/audio-backup')).toBe(0o755);
    expect(read(`etc/systemd/system/${unit}`)).toBe(read(`opt/audio/deploy/${unit}`));
    expect(read(`etc/systemd/system/${unit}.d/carried-over.conf`)).toBe(
      `[Service]\nExecStart=\n${command}\n`,
    );
  });

  test('take away a file that is not installed any more, unless it was changed', async () => {
    const { run, file } = machine;
    const https = 'etc/nginx/audio.d/nginx-https.conf';
    const installBy = (option: string) => run(`DESTDIR=${file('')} /opt/audio/deploy/install.sh ${option}`);
    await installBy('--https');
    expect(existsSync(file(https))).toBe(true);
    await run(`echo 'ssl_prefer_server_ciphers on;' >> /${https}`);
    await expect(installBy('--http')).rejects.toThrow(`changed on this machine:\n  /${https}`);
    await run(`sed -i '$ d' /${https}`);
    await installBy('--http');
    expect(existsSync(file(https))).toBe(false);
  });

  test('take away drop-ins that told the backup where the database is', async () => {
    const { run, read, file } = machine;
    const folder = file('etc/systemd/system/audio-backup.service.d');
    const command =
      'ExecStart=\nExecStart=/usr/local/sbin/audio-backup /etc/audio.env env PGHOST=db.example\n';
    write(folder, 'server.conf', `[Service]\n${command}`);
    write(folder, 'both.conf', `[Service]\nEnvironment=AUDIO_BACKUP_LIMIT=7200\n${command}`);
    await run(`DESTDIR=${file('')} /opt/audio/deploy/install.sh`);
    expect(readdirSync(folder).sort()).toEqual(['both.conf', 'both.conf.old', 'server.conf.old']);
    expect(read('etc/systemd/system/audio-backup.service.d/both.conf')).toBe(
      '[Service]\nEnvironment=AUDIO_BACKUP_LIMIT=7200\n',
    );
    rmSync(folder, { recursive: true });
  });

  test('back up, restore and change a password where PostgreSQL was moved to', async () => {
    const { run, read, file, here } = machine;
    const moved = await startSystemPostgres();
    onTestFinished(moved.close);
    await moved.asSuperuser(`CREATE ROLE audio LOGIN PASSWORD '${PASSWORD}'`);
    await moved.asSuperuser(
      "CREATE DATABASE audio OWNER audio ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0",
    );
    await applyMigrations(moved.url);
    const account =
      "INSERT INTO accounts (id, username, password_hash, company) VALUES ('1', 'u', '-', 'Movida')";
    await query(moved.url, account);
    const usual = read('etc/audio.env');
    onTestFinished(() => write(file('etc'), 'audio.env', usual));
    const variables = usual.replace(/^DATABASE_URL=.*$/m, `DATABASE_URL=${withPassword(moved.url)}`);
    write(file('etc'), 'audio.env', variables);

    await run('mkdir /var/copies');
    await run(copyBackups.replace(/rsync [^"]*/, here('cp /var/lib/audio-backup/*.dump /var/copies/')));
    await backUp(read('etc/systemd/system/audio-backup.service.d/copy.conf'));
    const dumped = readdirSync(file('var/copies')).sort().at(-1);
    const accounts = await run(`pg_restore --data-only --table=accounts --file=- /var/copies/${dumped}`);
    expect(accounts).toContain('Movida');

    await run(restore);
    expect(await contentOf(`${moved.url}_restored`)).toEqual(await contentOf(moved.url));
    expect(await postgres.asSuperuser("SELECT FROM pg_database WHERE datname = 'audio_restored'")).toEqual(
      [],
    );

    const before = [await secretIn(moved), await secretIn(postgres)];
    await changePassword();
    expect(await secretIn(moved)).not.toBe(before[0]);
    expect(await secretIn(postgres)).toBe(before[1]);
  });

  test('back up containers that have the documented variables alone', async () => {
    const { run } = machine;
    await backUpContainers(documented());
    await run(restoreInContainers);
    expect(await restored()).toEqual(await contentOf(postgres.url));
    await drop();
  });

  const [changeInstalled = '', changeInContainers = ''] = commandsOf("Change the database's password", 2);
  const secretIn = async (server: SystemPostgres) =>
    (await server.asSuperuser("SELECT rolpassword FROM pg_authid WHERE rolname = 'audio'"))[0]?.rolpassword;
  // Without a terminal psql reads the answers from its input.
  const changePassword = (command = changeInstalled) =>
    machine.run(`
      answer() { setsid --wait "$@" <<< $'nueva\\nnueva'; }
      audio-database() { answer "$(type -P audio-database)" "$@"; }
      docker() { PGUSER=postgres answer "\${@:4}"; }
      ${command}`);

  test.each([
    ['on this machine', changeInstalled],
    ['in containers', changeInContainers],
  ])('change the database’s password %s', async (_where, command) => {
    const before = await secretIn(postgres);
    await changePassword(command);
    expect(await secretIn(postgres)).toMatch(/^SCRAM-SHA-256\$/);
    expect(await secretIn(postgres)).not.toBe(before);
  });
});

function variablesOfContainers(): string[] {
  const [sentence = ''] = /`\.env` \(mode 0600\) beside it.*? explains\b/s.exec(OPERATIONS) ?? [];
  const names = [...sentence.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name);
  if (!names.includes('POSTGRES_PASSWORD')) throw new Error('The page names no variables for containers');
  return names;
}

async function contentOf(url: string): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  const tables = await query(url, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
  for (const { name } of tables) {
    const rows = await query(url, `SELECT t::text AS row FROM "${name}" t ORDER BY 1`);
    content[name] = rows.map(({ row }) => row);
  }
  return content;
}

test('the commands of docs/operations.md go back to the previous release', async () => {
  const { run, project, file, remove } = operatorsMachine({ PATH: process.env.PATH ?? '' });
  onTestFinished(remove);
  cpSync(path.join(PROJECT_ROOT, 'compose.yaml'), path.join(project, 'compose.yaml'));
  symlinkSync(file('opt/audio-9.9.9'), file('opt/audio'));
  for (const commands of commandsOf('Go back to the previous release', 2))
    await run(commands.replace('VERSION', '1.1.0'));
  expect(readlinkSync(file('opt/audio'))).toBe(file('opt/audio-1.1.0'));
  const images = readFileSync(path.join(project, 'compose.yaml'), 'utf8').match(/^ *image: .*$/gm);
  expect(images?.map((line) => line.trim())).toEqual([
    'image: audio-oficial-premium:1.1.0',
    expect.stringContaining('image: postgres:'),
    expect.stringContaining('image: nginx:'),
  ]);
});

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import path from 'node:path';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';

import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { openConnection } from '../../server/database/connection.ts';
import { startDemoProvider } from '../../server/demo/demoProvider.ts';
import { DAY_MS, SECOND_MS } from '../../shared/durations.ts';
import { freePort } from '../support/freePort.ts';
import { PATIENCE_MS } from '../support/patientDatabase.ts';
import { samplesOf } from '../support/samples.ts';
import { becomesReady, type ServerProcess, stopServer } from '../support/serverProcess.ts';
import { write } from '../support/temporaryFolder.ts';
import { ACCOUNT, CREATE_TOKEN, LOGIN } from '../support/testApp.ts';
import { requireTool } from '../support/testTools.ts';
import { waitingForLock } from '../support/waitingForLock.ts';
import { dumpsIn } from './backUp.ts';
import { writeCertificate } from './certificates.ts';
import {
  CREATE_DATABASE,
  installService,
  launchInstance,
  MAKE_FOLDER,
  PASSWORD,
  variablesIn,
  withPassword,
} from './installation.ts';
import { PUBLIC_HOST } from './nginx.ts';
import { nginxArguments, TEMPORARY_PATHS, writeConfig } from './nginxConfig.ts';
import { AUDIO, commandsOf, exported, operatorsMachine, settingOf } from './operatorsMachine.ts';
import { runPgbouncer, writePgbouncer } from './pgbouncer.ts';
import { alertsOfScripts } from './promtool.ts';
import { startService } from './service.ts';
import { startSystemPostgres } from './systemPostgres.ts';
import { watch } from './watchUnit.ts';

const UNITS = 'etc/systemd/system';
const BACKUP = 'audio-backup.service';
const CERTIFICATE = `audio-certificate@${PUBLIC_HOST}.service`;
const DAY_SECONDS = DAY_MS / SECOND_MS;

const [copyBackups = '', createRole = '', restore = '', , behindPgbouncer = ''] = commandsOf(
  'Back up and restore',
  6,
);

/** `date` of the machine: its scripts ask for nothing but `date +%s`, which is this much ahead. */
const DATE = `#!/bin/sh
  [ "$*" = +%s ] || exec /bin/date "$@"
  echo $(($(/bin/date +%s) + $(cat "$0.ahead")))`;

test('an installation survives a year', { timeout: 600_000 }, async () => {
  const provider = await startDemoProvider({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => provider.close());
  const first = await startMachine(provider);
  await first.installDatabase(CREATE_DATABASE, 'audio');
  await first.install(MAKE_FOLDER);
  await first.addPartner();

  const year: string[] = [];
  async function lived(event: string, machine = first): Promise<void> {
    year.push(`${event}: ${await machine.partner()}; ${machine.told()}; ${await machine.dumps()}`);
  }

  await first.night();
  await lived('the first night');

  first.pass(35);
  first.look();
  await lived('five weeks without a backup');
  await first.night();
  await lived('the next backup');

  await first.cutPowerDuringBackup();
  await lived('a power cut in the middle of a backup');
  await first.night();
  await lived('the night after');

  await first.movePostgres();
  await first.night();
  await lived('PostgreSQL moved to another port');

  await first.hang();
  await first.night();
  await lived('an instance hung');

  first.pass(43);
  await first.night();
  await lived('nobody renewed the certificate');
  first.pass(3);
  await first.night();
  await lived('its last days');
  // The hook of this renewal fails.
  first.renewCertificate(90);
  await first.night();
  await lived('a renewal whose hook failed');

  await first.limitRole();
  await first.night();
  await lived('limits of time set on the role');

  const bare = await startMachine(provider, first.now());
  await bare.takeBackup(first.copies);
  await bare.installDatabase(createRole + restore, 'audio_restored');
  await bare.install(`folder=${first.program()}`);
  bare.playersAddressOf(first);
  await bare.night();
  await lived('a restore on a bare machine', bare);

  const works = 'the partner signs in, gets a token and plays';
  expect(year).toEqual([
    `the first night: ${works}; nobody was told; 1 backups, the last of 1 accounts`,
    `five weeks without a backup: ${works}; AudioBackupNotCopied, AudioBackupNotRestored, AudioBackupOld; 1 backups, the last of 1 accounts`,
    `the next backup: ${works}; nobody was told; 2 backups, the last of 1 accounts`,
    `a power cut in the middle of a backup: ${works}; nobody was told; 2 backups, the last of 1 accounts, a part`,
    `the night after: ${works}; nobody was told; 3 backups, the last of 1 accounts`,
    `PostgreSQL moved to another port: ${works}; nobody was told; 4 backups, the last of 1 accounts`,
    `an instance hung: ${works}; nobody was told; 5 backups, the last of 1 accounts`,
    `nobody renewed the certificate: ${works}; AudioCertificateEnds; 6 backups, the last of 1 accounts`,
    `its last days: ${works}; ${CERTIFICATE}, AudioCertificateEnds, AudioCertificateEndsNow; 7 backups, the last of 1 accounts`,
    `a renewal whose hook failed: ${works}; nobody was told; 8 backups, the last of 1 accounts`,
    `limits of time set on the role: ${works}; nobody was told; 9 backups, the last of 1 accounts`,
    `a restore on a bare machine: ${works}; nobody was told; 2 backups, the last of 1 accounts`,
  ]);
});

/** Ends all processes that a program started as the leader of a session has started, and itself. */
function killSession({ pid }: ChildProcess): void {
  const processes = execFileSync('ps', ['-o', 'pid=', '--sid', String(pid)], { encoding: 'utf8' });
  for (const each of processes.trim().split(/\s+/)) process.kill(Number(each), 'SIGKILL');
}

/** Starts a machine with PostgreSQL alone, until the test ends. Everything else is installed by docs/operations.md. */
async function startMachine(provider: Awaited<ReturnType<typeof startDemoProvider>>, aheadSeconds = 0) {
  const postgres = await startSystemPostgres();
  onTestFinished(() => postgres.close());
  const ports = [await freePort(), await freePort()] as const;
  const metricsPorts = [await freePort(), await freePort()] as const;
  const [httpPort, httpsPort, poolerPort] = [await freePort(), await freePort(), await freePort()];
  const machine = operatorsMachine(
    { ...postgres.env, USER: 'operadora' },
    { '127.0.0.1:4000': `127.0.0.1:${ports[0]}`, '127.0.0.1:4001': `127.0.0.1:${ports[1]}` },
  );
  const { file, read, run, project } = machine;
  onTestFinished(machine.remove);
  chmodSync(file('.'), 0o711);
  const program = (name: string, text: string) => {
    write(file('programs'), name, text);
    chmodSync(file(`programs/${name}`), 0o755);
  };
  let ahead = 0;
  const setAhead = (seconds: number) => {
    ahead = seconds;
    write(file('programs'), 'date.ahead', String(seconds));
  };
  program('date', DATE);
  program(
    'nginx',
    `#!/bin/sh\nexec ${[requireTool('nginx'), ...nginxArguments(file('etc/nginx'))]
      .map((word) => `'${word}'`)
      .join(' ')} "$@"\n`,
  );
  setAhead(aheadSeconds);
  const state = file('var/lib/audio-backup');
  const copies = file('var/copies');
  const metrics = file('var/lib/metrics');
  for (const folder of [copies, metrics, file('etc/letsencrypt/live')])
    mkdirSync(folder, { recursive: true });

  const instances: ServerProcess[] = [];
  let pooler: ServerProcess;
  let nginx: ServerProcess;
  let database = 'audio';
  let playersAddress = '';
  const told = new Set<string>();
  const agent = new Agent({ pipelining: 0, connect: { rejectUnauthorized: false, servername: PUBLIC_HOST } });
  onTestFinished(() => agent.destroy());
  onTestFinished(async () => {
    for (const instance of instances) await stopServer(instance, 'SIGKILL');
  });

  const directUrl = () => postgres.url.replace(/\/audio$/, `/${database}`);
  const asAdministrator = () => directUrl().replace('audio@', 'postgres@');
  const now = () => Math.floor(Date.now() / SECOND_MS) + ahead;
  const pooledUrl = () => withPassword(directUrl()).replace(/:\d+\//, `:${poolerPort}/`);
  const variables = () => ({
    DATABASE_URL: pooledUrl(),
    DATABASE_DIRECT_URL: withPassword(directUrl()),
    JWT_SECRET: `a secret of this machine, of 32 bytes or more`,
    PROVIDER_TOKEN_URL: provider.tokenUrl,
    STREAM_BASE_URL: provider.streamBaseUrl,
  });

  async function startInstance(index: 0 | 1): Promise<void> {
    const instance = launchInstance(machine, ports[index], metricsPorts[index]);
    instances[index] = instance;
    await becomesReady(instance, ports[index]);
  }
  async function restartInstances(signal: NodeJS.Signals): Promise<void> {
    for (const index of [0, 1] as const) {
      const instance = instances[index];
      if (instance) await stopServer(instance, signal);
      await startInstance(index);
    }
  }
  async function startNginx(): Promise<void> {
    nginx = startService('SIGTERM', [file('programs/nginx')]);
    await expect
      .poll(() => ask('/').catch(() => nginx.output), { timeout: 20_000 })
      .toMatchObject({ status: 200 });
  }
  async function startPooler(): Promise<void> {
    pooler = await runPgbouncer(file('etc/pgbouncer'), pooledUrl());
  }
  async function restartPooler(): Promise<void> {
    await stopServer(pooler, 'SIGINT');
    await startPooler();
  }

  async function ask(pathname: string, body?: object, authorization = '') {
    const answer = await request(`https://127.0.0.1:${httpsPort}${pathname}`, {
      dispatcher: agent,
      headers: { host: PUBLIC_HOST, 'content-type': 'application/json', authorization },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  }

  /** Does what an installed unit does with its drop-ins, as its timer would. Its failure starts the alarm. */
  async function start(unit: string, environment: string): Promise<void> {
    const [name = '', instance = ''] = unit.replace('.service', '').split('@');
    const template = instance === '' ? unit : `${name}@.service`;
    const dropIns = file(`${UNITS}/${template}.d`);
    const texts = [
      read(`${UNITS}/${template}`),
      ...(existsSync(dropIns)
        ? readdirSync(dropIns).map((dropIn) => read(`${UNITS}/${template}.d/${dropIn}`))
        : []),
    ].join('');
    const extra = settingOf(texts, 'Environment');
    const command = settingOf(texts, 'ExecStart').replaceAll('%i', instance);
    const variables = unit === BACKUP ? exported(read('etc/audio.env')) : '';
    await run(`${variables}unset -f nginx\nexport ${environment} ${extra}\n${command}`).catch(() =>
      told.add(unit),
    );
  }
  const backUp = () =>
    start(
      BACKUP,
      `STATE_DIRECTORY=/var/lib/audio-backup TEXTFILE_DIRECTORY=${metrics} AUDIO_BACKUP_PATIENCE=0`,
    );
  const lookAtCertificate = () =>
    start(
      CERTIFICATE,
      `AUDIO_LETSENCRYPT=/etc/letsencrypt AUDIO_TLS=/etc/audio/tls TEXTFILE_DIRECTORY=${metrics} AUDIO_CERTIFICATE_AT=127.0.0.1:${httpsPort}`,
    );
  /** Prometheus looks at what the scripts wrote. */
  function look(): void {
    const written = readdirSync(metrics).map((name) => readFileSync(path.join(metrics, name), 'utf8'));
    for (const alert of alertsOfScripts(samplesOf(written.join('')), now())) told.add(alert);
  }
  const live = file(`etc/letsencrypt/live/${PUBLIC_HOST}`);
  const passDays = (days: number) => {
    setAhead(ahead + days * DAY_SECONDS);
    told.clear();
  };

  return {
    copies,
    now: () => ahead,
    program: () => realpathSync(file('opt/audio')),
    playersAddressOf: (other: { playersAddress(): string }) => {
      playersAddress = other.playersAddress();
    },
    playersAddress: () => playersAddress,

    /** Creates the database by these blocks, and sets PgBouncer up in front of it as docs/performance.md says. */
    async installDatabase(blocks: string, name: string): Promise<void> {
      cpSync(path.join(PROJECT_ROOT, 'deploy'), path.join(project, 'deploy'), { recursive: true });
      for (const [variable, value] of Object.entries(variables()))
        appendFileSync(file('etc/audio.env'), `${variable}=${value}\n`);
      await run(blocks);
      await postgres.asSuperuser(`ALTER ROLE audio PASSWORD '${PASSWORD}'`);
      const [role] = await postgres.asSuperuser(
        "SELECT rolpassword AS secret FROM pg_authid WHERE rolname = 'audio'",
      );
      await writePgbouncer(file('etc/pgbouncer'), postgres.url, { port: poolerPort, secret: role?.secret });
      if (name !== database) await run(behindPgbouncer);
      database = name;
      await startPooler();
    },

    async install(makeFolder: string): Promise<void> {
      const options = ports.map((port) => `--instance 127.0.0.1:${port}`).join(' ');
      await installService(machine, variables(), makeFolder, options);
      mkdirSync(live, { recursive: true });
      mkdirSync(file('etc/audio/tls'), { recursive: true });
      writeCertificate(file('etc/audio/tls'), 7);
      await writeConfig(file('etc/nginx/nginx.conf'), read('etc/nginx/nginx.conf'), {
        'http {': `http {\n${TEMPORARY_PATHS}`,
      });
      await writeConfig(file('etc/nginx/conf.d/audio.conf'), read('etc/nginx/conf.d/audio.conf'), {
        'listen 80': `listen 127.0.0.1:${httpPort}`,
        'listen [::]:80': `listen [::1]:${httpPort}`,
        'listen 443': `listen 127.0.0.1:${httpsPort}`,
        'listen [::]:443': `listen [::1]:${httpsPort}`,
      });
      await writeConfig(
        file('etc/nginx/audio.d/nginx-https.conf'),
        read('etc/nginx/audio.d/nginx-https.conf'),
        {
          'listen 443': `listen 127.0.0.1:${httpsPort}`,
          'listen [::]:443': `listen [::1]:${httpsPort}`,
          '/etc/audio/tls': file('etc/audio/tls'),
          '/var/www/acme': file('var/www/acme'),
        },
      );
      await Promise.all([startInstance(0), startInstance(1)]);
      await startNginx();
      // As certbot does; its hook starts the unit.
      writeCertificate(live, Math.round(ahead / DAY_SECONDS) + 90);
      await lookAtCertificate();
      await run(copyBackups.replace(/rsync [^"]*/, `cp ${state}/*.dump ${copies}/`));
    },

    async addPartner(): Promise<void> {
      const { username, company, password } = ACCOUNT;
      await run(
        `${AUDIO}audio account add --username '${username}' --company '${company}' <<< '${password}'`,
      );
      playersAddress = await run(
        `${AUDIO}audio account add-key --username '${username}' --name codec --player --origin https://${PUBLIC_HOST}`,
      );
    },

    pass: passDays,
    look,

    /** Goes on to the next night, when the timers start their units, and to the look at Prometheus after it. */
    async night(): Promise<void> {
      passDays(1);
      await backUp();
      await lookAtCertificate();
      look();
    },

    async cutPowerDuringBackup(): Promise<void> {
      passDays(1);
      const holder = await openConnection(asAdministrator(), { timeoutMs: PATIENCE_MS });
      await holder.query('BEGIN; LOCK TABLE accounts');
      const { here } = machine;
      const command = here(settingOf(read(`${UNITS}/${BACKUP}`), 'ExecStart'));
      const running = spawn('sh', ['-c', command], {
        detached: true,
        cwd: project,
        stdio: 'ignore',
        env: {
          ...variablesIn(read('etc/audio.env')),
          PATH: machine.PATH,
          STATE_DIRECTORY: state,
          TEXTFILE_DIRECTORY: metrics,
        },
      });
      await waitingForLock(asAdministrator());
      killSession(running);
      await once(running, 'exit');
      await postgres.restart();
      await holder.end();
      await restartPooler();
      await stopServer(nginx, 'SIGTERM');
      await restartInstances('SIGKILL');
      await startNginx();
    },

    async movePostgres(): Promise<void> {
      await postgres.restart(await freePort());
      const port = postgres.env.PGPORT;
      const ini = 'etc/pgbouncer/pgbouncer.ini';
      write(
        file('etc/pgbouncer'),
        'pgbouncer.ini',
        read(ini).replace(/host=127.0.0.1 port=\d+/, `host=127.0.0.1 port=${port}`),
      );
      const { DATABASE_DIRECT_URL } = variables();
      write(
        file('etc'),
        'audio.env',
        read('etc/audio.env').replace(
          /^DATABASE_DIRECT_URL=.*$/m,
          `DATABASE_DIRECT_URL=${DATABASE_DIRECT_URL}`,
        ),
      );
      await restartPooler();
      await restartInstances('SIGTERM');
    },

    /** audio-watch@ finds the instance that hangs, and systemd ends and starts it. */
    async hang(): Promise<void> {
      const [instance] = instances;
      instance?.kill('SIGSTOP');
      const calls = watch(ports[0]);
      await expect.poll(() => calls()[0], { timeout: 60_000 }).toBe(`try-restart audio@${ports[0]}.service`);
      if (instance) await stopServer(instance, 'SIGKILL');
      await startInstance(0);
    },

    renewCertificate: (days: number) => writeCertificate(live, Math.round(ahead / DAY_SECONDS) + days),

    /** Limits for forgotten reports, which sessions of the service would break. */
    async limitRole(): Promise<void> {
      for (const limit of ['idle_session_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout']) {
        await postgres.asSuperuser(`ALTER ROLE audio SET ${limit} = '1s'`);
      }
      await restartPooler();
      await restartInstances('SIGTERM');
      const sessions = () =>
        postgres.asSuperuser(`
          SELECT pid, clock_timestamp() - state_change > interval '1.2 s' AS "isIdle"
          FROM pg_stat_activity WHERE usename = 'audio'`);
      const before = (await sessions()).map(({ pid }) => pid);
      await expect
        .poll(async () => (await sessions()).filter(({ pid, isIdle }) => before.includes(pid) && !isIdle))
        .toEqual([]);
      expect((await sessions()).map(({ pid }) => pid)).toEqual(expect.arrayContaining(before));
    },

    async takeBackup(from: string): Promise<void> {
      for (const dump of dumpsIn(from)) copyFileSync(path.join(from, dump), path.join(state, dump));
      for (const dump of dumpsIn(state).slice(0, -1)) await run(`rm ${path.join(state, dump)}`);
    },

    async partner(): Promise<string> {
      const { username, password } = ACCOUNT;
      const login = await ask('/graphql', { query: LOGIN, variables: { username, password } });
      const { jwt } = JSON.parse(login.text).data?.login ?? {};
      const token = await ask('/graphql', { query: CREATE_TOKEN }, `Bearer ${jwt}`);
      const player = await ask(new URL(playersAddress.trim()).pathname);
      const isPlaying =
        player.status === 302 && String(player.headers.location).startsWith(provider.streamBaseUrl);
      if (JSON.parse(token.text).data?.createToken && isPlaying)
        return 'the partner signs in, gets a token and plays';
      return `the partner gets ${login.text}, ${token.text}, ${player.status} ${player.text}`;
    },

    told: () => [...told].join(', ') || 'nobody was told',

    async dumps(): Promise<string> {
      const [part, whole] = [/\.part$/, /\.dump$/].map((ending) =>
        dumpsIn(state).filter((name) => ending.test(name)),
      );
      const rows = await run(
        `pg_restore --data-only --table=accounts --file=- ${path.join(state, whole?.at(-1) ?? '')} | sed -n '/^COPY/,/^\\\\/p' | wc -l`,
      );
      const ofPart = part?.length ? ', a part' : '';
      return `${whole?.length} backups, the last of ${Number(rows) - 2} accounts${ofPart}`;
    },
  };
}

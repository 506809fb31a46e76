import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type DemoProvider, startDemoProvider } from '../../server/demo/demoProvider.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/durations.ts';
import { ACCOUNT, CREATE_TOKEN, LOGIN } from '../support/testApp.ts';
import { askMachine, type BootedMachine, bootMachine, HERE } from './bootedMachine.ts';
import { DEBIAN_12, DEBIAN_13, debianRoot } from './debianRoot.ts';
import { audio, installByManual, makeFolder, RELEASE_2_1_1, writeProgram } from './manualOnMachine.ts';
import { commandsOf } from './operatorsMachine.ts';

vi.setConfig({ testTimeout: 3 * MINUTE_MS, hookTimeout: 12 * MINUTE_MS });

const HOST = 'audio.example';
/** In place of `editor`: the operator's command, which notes each message, and fails while it cannot be sent. */
const SEND = `/bin/sh -c 'test ! -e /root/offline && echo "%i" >> /root/messages'`;

const [installBackup = '', , , , restore = ''] = commandsOf('Back up and restore', 8);
const [changePassword = ''] = commandsOf("Change the database's password", 2);

let machine: BootedMachine;
let provider: DemoProvider;

async function tidyUp(): Promise<void> {
  await provider?.close();
  await machine?.remove();
}

const messages = async () =>
  (await machine.run('cat /root/messages 2> /dev/null || true')).trim().split('\n');
const failedUnits = () => machine.run('systemctl --failed --no-legend --plain | cut -d " " -f 1');
const readiness = (port: number) =>
  machine.run(
    `curl --silent --max-time 5 --output /dev/null --write-out '%{http_code}' http://127.0.0.1:${port}/readyz || true`,
  );

async function becomesReady(...ports: number[]): Promise<void> {
  for (const port of ports) await expect.poll(() => readiness(port), { timeout: MINUTE_MS }).toBe('200');
}

/** Signs in and creates a token, through nginx, from another machine. */
async function partnerWorks(): Promise<void> {
  const { username, password } = ACCOUNT;
  const answers = [await askMachine(HOST, '/graphql', { query: LOGIN, variables: { username, password } })];
  const { jwt } = JSON.parse(answers[0]?.text ?? '').data.login;
  const authorization = `Bearer ${jwt}`;
  answers.push(await askMachine(HOST, '/graphql', { query: CREATE_TOKEN }, { authorization }));
  expect(answers.map(({ text }) => JSON.parse(text))).toMatchObject([
    { data: { login: { company: ACCOUNT.company } } },
    { data: { createToken: { token: expect.stringMatching(/.{40}/) } } },
  ]);
}

const RESTARTED = 'systemctl show --property=NRestarts --value audio@4000';

describe('Debian 13, by the commands of docs/operations.md', () => {
  beforeAll(async () => {
    machine = await bootMachine(debianRoot('trixie', DEBIAN_13), writeProgram);
    provider = await startDemoProvider({ host: HERE, port: 0 });
  });
  afterAll(tidyUp);

  test('an installation serves partners', async () => {
    const said = await installByManual(machine, provider);
    expect(said).toBe('{"status":"ready"}{"status":"ready"}');
    await machine.run(
      `${audio}echo '${ACCOUNT.password}' | audio account add --username ${ACCOUNT.username} --company '${ACCOUNT.company}'`,
    );
    await partnerWorks();
    expect(await failedUnits()).toBe('');
  });

  test('a reboot brings all of it back', async () => {
    await machine.reboot();
    await becomesReady(4000, 4001);
    await partnerWorks();
    expect(await failedUnits()).toBe('');
  });

  test('after a power cut instances wait for a late PostgreSQL', async () => {
    await machine.run('systemctl disable postgresql');
    await machine.cutPower();
    await machine.start();
    await expect.poll(() => machine.run(RESTARTED)).toMatch(/^[1-9]/);
    await machine.run('systemctl enable --now postgresql');
    await becomesReady(4000, 4001);
    await partnerWorks();
  });

  test('an instance that dies or hangs is restarted', async () => {
    const pid = () => machine.run('systemctl show --property=MainPID --value audio@4000');
    const killed = await pid();
    await machine.run(`kill -9 ${killed}`);
    await expect.poll(pid, { timeout: MINUTE_MS }).not.toBe(killed);
    await becomesReady(4000);
    const stopped = await pid();
    await machine.run(`kill -STOP ${stopped}`);
    await partnerWorks();
    await expect.poll(pid, { timeout: 2 * MINUTE_MS }).not.toBe(stopped);
    await becomesReady(4000);
    expect(await machine.run('journalctl --unit=audio-watch@4000 --output=cat --priority=warning')).toBe(
      'audio@4000.service hangs: restarting it\n',
    );
  });

  test('the alarm says what the operator wrote', async () => {
    const check = `${audio}audio check`;
    expect(await machine.run(check)).toContain('WARN alarm: ');
    const [fillIn = ''] = commandsOf('Tell whoever is on call', 1);
    await machine.run(
      fillIn.replace(
        /^editor (.*)$/m,
        `sed -i '/^ExecStart=/c ExecStart=${SEND.replaceAll("'", `'\\''`)}' $1`,
      ),
    );
    await machine.run('systemctl start audio-alarm@test');
    expect(await messages()).toEqual(['test', 'test']);
    expect(await machine.run(check)).toContain('ok alarm: ');
  });

  test('a refused configuration is told once an hour', async () => {
    const refuse = 'echo "JWT_SECRET=short" >> /etc/audio.env; systemctl restart audio@4001';
    await machine.run('cp -p /etc/audio.env /root/audio.env; rm /root/messages; touch /root/offline');
    await machine.run(refuse);
    const alarm = 'audio-alarm@audio@4001.service.service\n';
    await expect.poll(failedUnits).toBe(`${alarm}audio@4001.service\n`);
    // The alarm can be sent again.
    await machine.run('rm /root/offline; systemctl restart audio@4001');
    await expect.poll(messages).toEqual(['audio@4001.service']);
    await machine.run('systemctl restart audio@4001');
    await expect.poll(failedUnits).toBe('audio@4001.service\n');
    expect(await messages()).toEqual(['audio@4001.service']);
    const errors = await machine.run(
      'journalctl --identifier=audio@4001 --output=cat --priority=err --grep=JWT',
    );
    expect(errors).toBe('  - JWT_SECRET must be at least 32 bytes long\n'.repeat(3));
  });

  test('an instance that cannot start is told after a while, one that was stopped is not', async () => {
    await machine.run(`
      mkdir -p /etc/systemd/system/audio-watch@.service.d
      printf '[Service]\\nEnvironment=AUDIO_WATCH_ALARM=20\\n' > /etc/systemd/system/audio-watch@.service.d/soon.conf
      systemctl daemon-reload
      rm -rf /etc/audio.env /root/messages /run/audio-alarm/*
      systemctl stop audio@4001
      systemctl restart --no-block audio@4000 audio-watch@4000 audio-watch@4001`);
    await expect.poll(messages).toEqual(['audio@4000.service']);
    // The watch of the other one has looked for as long.
    await machine.run('mv /root/audio.env /etc/audio.env; systemctl start audio@4001');
    await becomesReady(4000, 4001);
    expect(await messages()).toEqual(['audio@4000.service']);
  });

  test('an instance that waits for a lock of a migration is not told', async () => {
    await machine.run(`
      rm -f /root/messages /run/audio-alarm/*
      mkdir /opt/audio/prisma/migrations/99990101000000_waits
      echo 'ALTER TABLE audit_lines ADD COLUMN waits text' > /opt/audio/prisma/migrations/99990101000000_waits/migration.sql
      systemd-run --quiet --collect --uid=postgres psql audio --command='BEGIN; LOCK TABLE audit_lines; SELECT pg_sleep(600)'
      systemctl restart --no-block audio@4000`);
    const waits =
      'journalctl --unit=audio@4000 --since=-10min --output=cat --grep="waits for a lock" | wc -l';
    // The second line comes half a minute later than the first: longer than the alarm's time here.
    await expect.poll(async () => Number(await machine.run(`${waits} || true`))).toBeGreaterThan(1);
    expect(await messages()).toEqual(['']);
    await machine.run(
      `sudo -u postgres psql --command="SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)'"`,
    );
    await becomesReady(4000);
    await machine.run(`
      rm -r /opt/audio/prisma/migrations/99990101000000_waits /etc/systemd/system/audio-watch@.service.d
      systemctl daemon-reload; systemctl restart audio-watch@4000 audio-watch@4001`);
  });

  test('warnings of an outage of PostgreSQL are warnings of the journal', async () => {
    await machine.run('systemctl stop postgresql');
    await expect.poll(() => readiness(4000)).toBe('503');
    await machine.run('systemctl start postgresql');
    await becomesReady(4000);
    const lines = await machine.run('journalctl --identifier=audio@4000 --output=cat --priority=4..4');
    expect(JSON.parse(lines.trim().split('\n').at(-1) ?? '')).toMatchObject({ level: 'warn' });
  });

  test('a watch without curl has failed', async () => {
    await machine.run('mv /usr/bin/curl /root/');
    await expect.poll(failedUnits).toBe('audio-watch@4000.service\naudio-watch@4001.service\n');
    await machine.run('mv /root/curl /usr/bin/; systemctl restart audio-watch@4000 audio-watch@4001');
    expect(await failedUnits()).toBe('');
  });

  test('the journal holds no usernames and nothing of PAM, and a failed backup as an error', async () => {
    await machine.run(installBackup);
    await machine.run(`${audio}audio account show --username ${ACCOUNT.username}`);
    await machine.run('systemctl start audio-backup');
    expect(await machine.run('ls /var/lib/audio-backup')).toMatch(/^audio-.*\.dump$/m);
    expect(await machine.run('journalctl --output=cat')).not.toContain(ACCOUNT.username);
    expect(await machine.run('journalctl --unit=audio-backup --output=cat --grep=pam || true')).toBe('');
    await machine.run(`
      mv /etc/audio.env /root/; systemctl start audio-backup || true; mv /root/audio.env /etc/
      systemctl reset-failed audio-backup`);
    expect(
      await machine.run('journalctl --unit=audio-backup --output=cat --priority=err --grep=read'),
    ).toMatch(/^DATABASE_URL is not set: \/etc\/audio\.env cannot be read, .*\n$/);
  });

  test('backup, restore and another password follow PostgreSQL to another port', async () => {
    const databases = (port: number) =>
      machine.run(
        `sudo -u postgres psql --port=${port} -Atc "SELECT datname FROM pg_database WHERE datname ~ 'audio' ORDER BY 1"`,
      );
    const main = '$(ls /etc/postgresql) main';
    await machine.run(`
      pg_conftool ${main} set port 5433
      systemctl restart postgresql
      pg_createcluster --port 5432 $(ls /etc/postgresql) other --start
      sed -i 's|@localhost/|@localhost:5433/|' /etc/audio.env
      systemctl restart audio@4000
      rm -f /var/lib/audio-backup/*
      systemctl start audio-backup`);
    await becomesReady(4000);
    expect(await machine.run('ls /var/lib/audio-backup')).toMatch(/^audio-.*\.dump\nlock\nrestored\n$/m);

    await machine.run(restore);
    expect([await databases(5432), await databases(5433)]).toEqual(['', 'audio\naudio_restored\n']);
    const count = 'SELECT count(*) FROM accounts';
    expect(await machine.run(`audio-database psql --dbname=audio_restored -Atc '${count}'`)).toBe('1\n');

    // psql empties what was typed before it asks.
    const said = await machine.run(`
      shown() { until grep --quiet "$1" /root/terminal 2> /dev/null; do sleep 0.1; done; }
      mkfifo /root/keys
      script --quiet --flush --return --command "${changePassword.trim()}" /root/terminal < /root/keys > /dev/null &
      exec 3> /root/keys
      shown 'new password'; echo nueva >&3
      shown 'again'; echo nueva >&3
      wait $!
      cat /root/terminal`);
    expect(said).not.toContain('nueva');
    await machine.run(`
      sed -i 's|audio:[^@]*@|audio:nueva@|' /etc/audio.env
      systemctl restart audio@4000`);
    await becomesReady(4000);

    // An address whose user PostgreSQL knows by its name.
    const socket = 'DATABASE_URL=postgresql://audio@localhost:5433/audio?host=/var/run/postgresql';
    expect(await machine.run(`${socket} audio-database psql -Atc '${count}'`)).toBe('1\n');

    await machine.run(`
      audio-database --superuser dropdb audio_restored
      pg_dropcluster --stop $(ls /etc/postgresql) other
      pg_conftool ${main} set port 5432
      systemctl restart postgresql
      sed -i 's|@localhost:5433/|@localhost/|' /etc/audio.env
      systemctl restart audio@4000 audio@4001`);
    await becomesReady(4000, 4001);
  });

  test('the monitor writes for Prometheus when it last heard something', async () => {
    const [monitor = ''] = commandsOf('Know of an outage before kick-off', 2);
    const file = '/var/lib/prometheus/node-exporter/audio-monitor.prom';
    const METRIC = 'audio_monitor_success_timestamp_seconds';
    const listen = async () => machine.run(`systemctl start audio-monitor || true; cat ${file}`);
    await machine.run('mkdir -p /var/lib/prometheus/node-exporter; rm -rf /root/messages /run/audio-alarm/*');
    // Without its timer, which could start it in between.
    await machine.run(
      audio + monitor.replace('https://audio.example', 'http://127.0.0.1:4000').replace(/^.*\.timer$/m, ''),
    );
    await machine.run('mv /usr/local/bin/audio-token /root/');
    expect(await listen()).toBe(`${METRIC} 0\n`);
    await expect.poll(messages).toEqual(['audio-monitor.service']);
    await machine.run('mv /root/audio-token /usr/local/bin/');
    const [name, heardAt] = (await listen()).split(' ');
    expect([name, Number(heardAt)]).toEqual([METRIC, expect.closeTo(Date.now() / SECOND_MS, -3)]);
    await machine.run(`mv /usr/local/bin/audio-token /root/; echo earlier > ${file}`);
    expect(await listen()).toBe('earlier\n');
    await machine.run('mv /root/audio-token /usr/local/bin/; systemctl reset-failed audio-monitor');
  });

  test('nothing is left after a removal but secrets and data', async () => {
    const [remove = '', removeDatabase = ''] = commandsOf('Remove it', 2);
    await machine.run(remove);
    await machine.run(removeDatabase);
    const units = await machine.run("systemctl list-units --all --plain --no-legend 'audio*'");
    const files = await machine.run("find /etc /opt /usr /var/lib /var/cache -path '*audio*' | sort");
    const data = /^\/etc\/audio-monitor.env\n\/etc\/audio.env\n(?:\/var\/lib\/audio-backup.*\n)+$/;
    expect([units, files]).toEqual(['', expect.stringMatching(data)]);
  });
});

describe('Debian 13 with release 2.1.1, by the commands of both manuals', () => {
  const former = readFileSync(path.join(RELEASE_2_1_1, 'operations.md'), 'utf8');
  const FORMER_INSTALL = commandsOf('Install', 5, former);
  const [upgradeFiles = ''] = commandsOf('Upgrade and migrate', 3);
  const [goBack = ''] = commandsOf('Go back to the previous release', 2);
  const statuses = new Map<number | string, number>();

  /** Asks without a pause, as partners do, while something happens. */
  async function withTraffic(happening: () => Promise<unknown>): Promise<void> {
    let isOver = false;
    const asked = async () => {
      while (!isOver) {
        const answer = await askMachine(HOST, '/graphql', { query: '{ session { id } }' }).catch(
          (error: Error) => ({ status: error.message }),
        );
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
    };
    const callers = [asked(), asked()];
    await happening();
    isOver = true;
    await Promise.all(callers);
  }

  const restartOneAfterTheOther = async () => {
    for (const port of [4000, 4001]) {
      await machine.run(`systemctl restart audio@${port}`);
      await becomesReady(port);
    }
  };

  beforeAll(async () => {
    machine = await bootMachine(debianRoot('trixie', DEBIAN_13), (root) => {
      writeProgram(root);
      const [old, next] = ['root/project', 'root/next'].map((name) => path.join(root, name)) as [
        string,
        string,
      ];
      cpSync(old, next, { recursive: true });
      rmSync(path.join(old, 'deploy'), { recursive: true });
      cpSync(path.join(RELEASE_2_1_1, 'deploy'), path.join(old, 'deploy'), { recursive: true });
      execFileSync('sh', ['-c', `sed -i 's/^\\([#;] Release \\).*/\\12.99.0/' ${next}/deploy/*`]);
      // The program of this build, under the number of the release before and of the next one.
      for (const [folder, version] of [
        [old, '2.1.1'],
        [next, '2.99.0'],
      ] as const) {
        const file = path.join(folder, 'package.json');
        writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version }));
      }
    });
    provider = await startDemoProvider({ host: HERE, port: 0 });
    await installByManual(machine, provider, FORMER_INSTALL);
    await machine.run(`
      install -m 644 deploy/audio-alarm@.service /etc/systemd/system/
      sed -i '/^ExecStart=/c ExecStart=/bin/sh -c "echo %i >> /root/messages"' /etc/systemd/system/audio-alarm@.service
      mv /root/project /root/former; mv /root/next /root/project`);
    await machine.run(
      `${audio}echo '${ACCOUNT.password}' | audio account add --username ${ACCOUNT.username} --company '${ACCOUNT.company}'`,
    );
  });

  afterAll(tidyUp);

  test('an upgrade refuses no request', async () => {
    await withTraffic(async () => {
      await makeFolder(machine);
      await machine.run('ln -sfn /opt/audio-2.99.0 /opt/audio');
      await restartOneAfterTheOther();
      const said = await machine.run(upgradeFiles);
      // The operator's command stands in it.
      expect(said).toContain('Kept /etc/systemd/system/audio-alarm@.service, which was changed here');
      expect(said).toContain('Replaced /etc/systemd/system/audio@.service');
      // The new unit counts from the next restart on.
      await restartOneAfterTheOther();
    });
    expect([...statuses.keys()]).toEqual([200]);
    expect(await machine.run('systemctl show --property=SyslogIdentifier --value audio@4000')).toBe(
      'audio@4000\n',
    );
    expect(await failedUnits()).toBe('');
    await partnerWorks();
  });

  test('the release before works with what the upgrade installed', async () => {
    await withTraffic(async () => {
      await machine.run(goBack.replace('VERSION', '2.1.1'));
      await restartOneAfterTheOther();
    });
    expect([...statuses.keys()]).toEqual([200]);
    expect(await failedUnits()).toBe('');
    await partnerWorks();
  });
});

test('Debian 12 starts the unit', async () => {
  machine = await bootMachine(debianRoot('bookworm', DEBIAN_12), writeProgram);
  onTestFinished(() => machine.remove());
  // Its configuration is refused by the program, which so was started.
  copyFileSync(process.execPath, path.join(machine.folder, 'usr/bin/node'));
  await machine.run(`
    mv /root/project /opt/audio
    install -m 644 /opt/audio/deploy/audio@.service /etc/systemd/system/
    echo NODE_ENV=production > /etc/audio.env
    systemctl daemon-reload
    systemctl start audio@4000`);
  await expect.poll(failedUnits).toBe('audio@4000.service\n');
  expect(await machine.run('systemctl show --property=ExecMainStatus --value audio@4000')).toBe('78\n');

  // A drop-in of the operator, as it got round the fault of former releases.
  await machine.run(`
    mkdir /etc/systemd/system/audio@.service.d
    printf '[Service]\\nDynamicUser=no\\nUser=nobody\\n' > /etc/systemd/system/audio@.service.d/user.conf
    systemctl daemon-reload
    systemctl restart audio@4000`);
  const said = 'journalctl --identifier=audio@4000 --output=json --grep="configuration is wrong" | tail -n 1';
  await expect.poll(() => machine.run(said)).toContain('"_UID":"65534"');
});

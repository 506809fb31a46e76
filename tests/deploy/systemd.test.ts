import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type DemoProvider, startDemoProvider } from '../../server/demo/demoProvider.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/durations.ts';
import { ACCOUNT, CREATE_TOKEN, LOGIN } from '../support/testApp.ts';
import { askMachine, type BootedMachine, bootMachine, HERE } from './bootedMachine.ts';
import { DEBIAN_12, DEBIAN_13, debianRoot } from './debianRoot.ts';
import {
  installByManual,
  installRelease211,
  RELEASE_2_1_1,
  upgradeByManual,
  writeProgram,
} from './manualOnMachine.ts';
import { commandsOf } from './operatorsMachine.ts';

vi.setConfig({ testTimeout: 3 * MINUTE_MS, hookTimeout: 12 * MINUTE_MS });

const HTTPS = 'https://audio.example';
const HTTP = 'http://audio.example';
/** In place of `editor`: the operator's command, which notes each message, and fails while it cannot be sent. */
const SEND = `/bin/sh -c 'test ! -e /root/offline && echo "%i" >> /root/messages'`;

const [, , restore = ''] = commandsOf('Back up and restore', 6);
const [changePassword = ''] = commandsOf("Change the database's password", 2);
const ADD_ACCOUNT = `echo '${ACCOUNT.password}' | audio account add --username ${ACCOUNT.username} --company '${ACCOUNT.company}'`;

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
async function partnerWorks(origin = HTTPS): Promise<void> {
  const { username, password } = ACCOUNT;
  const answers = [await askMachine(origin, '/graphql', { query: LOGIN, variables: { username, password } })];
  const { jwt } = JSON.parse(answers[0]?.text ?? '').data.login;
  const authorization = `Bearer ${jwt}`;
  answers.push(await askMachine(origin, '/graphql', { query: CREATE_TOKEN }, { authorization }));
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
    expect(said).toMatch(/^Release .* runs on ports 4000 4001, behind nginx as audio\.example$/m);
    expect(said.match(/^Missing: \S+ \S+/gm)).toEqual([
      'Missing: an alarm',
      'Missing: a certificate:',
      'Missing: a copy',
    ]);
    await machine.run(ADD_ACCOUNT);
    expect(await machine.run('audio check')).toMatch(/^ok files: /m);
    await partnerWorks();
    expect(await failedUnits()).toBe('');
  });

  test('nginx writes its errors into the journal', async () => {
    await machine.run(
      'head -c 20000 /dev/zero | curl --silent --insecure --resolve audio.example:443:127.0.0.1 --data-binary @- https://audio.example/graphql',
    );
    await expect
      .poll(() => machine.run('journalctl --unit=nginx --output=cat'))
      .toContain('client intended to send too large body');
  });

  const install = (option = '') => machine.run(`/opt/audio/deploy/install.sh ${option} 2>&1`);

  test('an installation that was interrupted while it made the database goes on', async () => {
    await machine.run('cp -p /etc/audio.env /root/; mv /etc/audio.env /etc/audio.env.part');
    await expect(install()).rejects.toMatchObject({
      code: 78,
      stdout: expect.stringContaining('Made the role and the database audio'),
    });
    await machine.run(`
      sed -i '/^DATABASE_URL=/d' /root/audio.env
      grep '^DATABASE_URL=' /etc/audio.env >> /root/audio.env
      mv /root/audio.env /etc/audio.env`);
    await install();
    await partnerWorks();
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
    await becomesReady(4000);
    const killed = await pid();
    await machine.run('systemctl kill --signal=KILL audio@4000');
    await expect.poll(pid, { timeout: MINUTE_MS }).not.toBe(killed);
    await becomesReady(4000);
    const stopped = await pid();
    await machine.run('systemctl kill --signal=STOP audio@4000');
    await expect.poll(pid, { timeout: 2 * MINUTE_MS }).not.toBe(stopped);
    await becomesReady(4000);
    await partnerWorks();
    expect(await machine.run('journalctl --unit=audio-watch@4000 --output=cat --priority=warning')).toBe(
      'audio@4000.service hangs: restarting it\n',
    );
  });

  test('the alarm says what the operator wrote', async () => {
    const check = 'audio check';
    expect(await machine.run(check)).toContain('WARN alarm: ');
    const [fillIn = ''] = commandsOf('Tell whoever is on call', 1);
    await machine.run(fillIn.replace(/^ExecStart=.+$/m, `ExecStart=${SEND}`));
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
    expect(JSON.parse(lines.trim().split('\n').at(-1) ?? '')).toMatchObject({
      level: 'warn',
      msg: expect.stringContaining('database'),
    });
  });

  test('a watch without curl has failed', async () => {
    await machine.run('mv /usr/bin/curl /root/');
    await expect.poll(failedUnits).toBe('audio-watch@4000.service\naudio-watch@4001.service\n');
    await machine.run('mv /root/curl /usr/bin/; systemctl restart audio-watch@4000 audio-watch@4001');
    expect(await failedUnits()).toBe('');
  });

  test('the journal holds no usernames and nothing of PAM, and a failed backup as an error', async () => {
    await machine.run(`audio account show --username ${ACCOUNT.username}`);
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
      sed -i 's|@localhost:5432/|@localhost:5433/|' /etc/audio.env
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
      sed -i 's|@localhost:5433/|@localhost:5432/|' /etc/audio.env
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
      monitor.replace('https://audio.example', 'http://127.0.0.1:4000').replace(/^.*\.timer$/m, ''),
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

  test('what an operator disabled stays disabled and is named', async () => {
    const disabled = ['audio@4001', 'audio-watch@4000', 'audio-backup.timer'];
    const units = disabled.join(' ');
    await machine.run(`systemctl disable --quiet --now ${units}`);
    const said = await install();
    expect(said).toMatch(/^Release .* runs on ports 4000, behind nginx/m);
    expect(said.match(/\S+(?= was disabled on this machine and stays so)/g)?.sort()).toEqual(
      disabled.toSorted(),
    );
    expect(await machine.run(`systemctl is-active ${units} || true`)).toBe('inactive\n'.repeat(3));
    await machine.run(`systemctl enable --quiet --now ${units}`);
    expect(await install()).not.toContain('disabled');
    expect(await machine.run(`systemctl is-active ${units}`)).toBe('active\n'.repeat(3));
  });

  test('an instance that was taken away is started when it is named again', async () => {
    await install('--instance 4000');
    expect(await install('--instance 4000 --instance 4001')).toContain('audio@4001 is enabled now\n');
    await becomesReady(4001);
  });

  test('behind a balancer the certificate timer that an operator enabled stays', async () => {
    const timer = 'audio-certificate@audio.example.timer';
    expect(await install('--http')).toContain(
      'The certificate of audio.example is not looked after any more\n',
    );
    await machine.run(`systemctl enable --now ${timer}`);
    await install('--http');
    expect(await machine.run(`systemctl is-enabled ${timer}`)).toBe('enabled\n');
    await install('--https');
  });

  const remove = async () => {
    const [commands = ''] = commandsOf('Remove it', 2);
    return machine.run(commands);
  };

  test('a removal and an installation leave another site of nginx alone', async () => {
    expect(await remove()).toContain('  /etc/nginx/conf.d/audio.conf\n');
    const site = 'server { listen 80; server_name other.example; return 200 "the other site"; }';
    await machine.run(`rm /etc/nginx/sites-enabled/default; echo '${site}' > /etc/nginx/sites-enabled/other`);
    const install = (name: string) =>
      machine.run(`
        rm -rf /opt/audio-9.9.9; cp -r /root/project /opt/audio-9.9.9
        /opt/audio-9.9.9/deploy/install.sh --public-name ${name} 2>&1 || true`);
    const long = `${'a'.repeat(50)}.example`;
    expect(await install(long)).toMatch(/^Write server_names_hash_bucket_size 512;.*\nPutting back/m);
    expect(await machine.run('ls /etc/nginx/conf.d /opt/audio 2>&1 || true')).not.toContain('audio.conf');
    await machine.run(
      'systemd-run --quiet --unit=other --collect node --eval "require(\'net\').createServer().listen(443)"',
    );
    await expect.poll(() => machine.run('(: <> /dev/tcp/127.0.0.1/443) 2>&1 || true')).toBe('');
    expect(await install('audio.example')).toMatch(/, but nginx does not serve it: /);
    await machine.run('systemctl stop other');
    const said = await install('audio.example');
    expect(said).toContain(
      'Missing: in the events block of /etc/nginx/nginx.conf: worker_connections 8192;\n',
    );
    await partnerWorks();
    const otherSite = () => askMachine('http://other.example', '/');
    expect(await otherSite()).toEqual({ status: 200, text: 'the other site' });
    await remove();
    expect(await otherSite()).toEqual({ status: 200, text: 'the other site' });
  });

  test('nothing is left after a removal but secrets and data', async () => {
    const [, removeDatabase = ''] = commandsOf('Remove it', 2);
    await machine.run(removeDatabase);
    const units = await machine.run("systemctl list-units --all --plain --no-legend 'audio*'");
    const files = await machine.run("find /etc /opt /usr /var/lib /var/cache -path '*audio*' | sort");
    const data =
      /^(?:\/etc\/audio\/tls.*\n|\/etc\/audio(?:-monitor)?(?:\.env)?\n)+(?:\/var\/lib\/audio-backup.*\n)+$/;
    expect([units, files]).toEqual(['', expect.stringMatching(data)]);
  });

  test('a removal of the monitor names what it removes, and takes nothing else', async () => {
    const rules = '/etc/prometheus/audio-alerts.yml';
    await machine.run(`mkdir -p /etc/prometheus; touch ${rules}; deploy/install.sh --monitor`);
    const said = await machine.run(`deploy/install.sh --remove; ls ${rules}`);
    expect(said.split('\n')).toEqual([
      'Removed:',
      '  /usr/local/bin/audio-monitor',
      '  /usr/local/bin/audio-token',
      '  /etc/systemd/system/audio-monitor.service',
      '  /etc/systemd/system/audio-monitor.timer',
      '  /etc/systemd/system/audio-alarm@.service',
      expect.stringMatching(/^Left is its key in \/etc\/audio-monitor\.env/),
      rules,
      '',
    ]);
  });
});

describe('Debian 13 with release 2.1.1, by the commands of both manuals', () => {
  const [goBack = ''] = commandsOf('Go back to the previous release', 2);
  const statuses = new Map<number | string, number>();

  /** Asks without a pause, as partners do, while something happens. */
  async function withTraffic<Result>(happening: () => Promise<Result>): Promise<Result> {
    let isOver = false;
    const asked = async () => {
      while (!isOver) {
        const answer = await askMachine(HTTP, '/graphql', { query: '{ session { id } }' }).catch(
          (error: Error) => ({ status: error.message }),
        );
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
    };
    const callers = [asked(), asked()];
    const result = await happening();
    isOver = true;
    await Promise.all(callers);
    return result;
  }

  /** Checksums of everything that belongs to the installation. */
  const installed = () =>
    machine.run(`
      readlink /opt/audio
      { find /etc/systemd /etc/nginx /etc/needrestart /usr/local /var/lib/audio-install -type f 2> /dev/null || true; } |
        grep --invert-match /lock | sort | xargs sha256sum`);

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
      // The program of this build, under the number of the release before and of the next one.
      for (const [folder, version] of [
        [old, '2.1.1'],
        [next, '2.99.0'],
      ] as const) {
        const file = path.join(folder, 'package.json');
        writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version }, null, 2));
      }
    });
    provider = await startDemoProvider({ host: HERE, port: 0 });
    await installRelease211(machine, provider);
    await machine.run(`
      install -m 644 deploy/audio-alarm@.service /etc/systemd/system/
      sed -i '/^ExecStart=/c ExecStart=/bin/sh -c "echo %i >> /root/messages"' /etc/systemd/system/audio-alarm@.service
      mv /root/project /root/former; mv /root/next /root/project`);
    await machine.run(`audio() { /root/project/deploy/audio.sh "$@"; }
${ADD_ACCOUNT}`);
  });

  afterAll(tidyUp);

  test('an upgrade stops before a file that an operator changed', async () => {
    const site = '/etc/nginx/conf.d/audio.conf';
    await machine.run(`cp -p ${site} /root/; sed -i 's/networks 100/networks 50/' ${site}`);
    const before = await installed();
    await expect(upgradeByManual(machine)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`were changed on this machine:\n  ${site}\n`),
    });
    expect(await installed()).toBe(before);
    await machine.run(`mv /root/audio.conf ${site}; rm -r /opt/audio-2.99.0`);
  });

  test('an upgrade whose first instance is not ready is undone', async () => {
    const before = await installed();
    const migration = 'prisma/migrations/99990101000000_fails';
    await machine.run(`mkdir ${migration}; echo 'SELECT nonsense' > ${migration}/migration.sql`);
    await withTraffic(() =>
      expect(upgradeByManual(machine)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/Migration 99990101000000_fails failed[\s\S]*Putting back/),
      }),
    );
    expect(await installed()).toBe(before);
    expect([...statuses.keys()]).toEqual([200]);
    await partnerWorks(HTTP);
    await machine.run(`
      rm -r ${migration} /opt/audio-2.99.0
      sudo -u postgres psql audio --command="DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_fails'"`);
  });

  test('an upgrade refuses no request', async () => {
    const said = await withTraffic(() => upgradeByManual(machine));
    expect(said).toMatch(/^What was changed in \/etc\/systemd\/system\/audio-alarm@\.service is in .* now$/m);
    expect([...statuses.keys()]).toEqual([200]);
    expect(await machine.run('systemctl show --property=SyslogIdentifier --value audio@4000')).toBe(
      'audio@4000\n',
    );
    await machine.run('systemctl start audio-alarm@test');
    expect(await messages()).toEqual(['test']);
    expect(await failedUnits()).toBe('');
    await partnerWorks(HTTP);
  });

  test('the release before works with what the upgrade installed', async () => {
    await withTraffic(async () => {
      await machine.run(goBack.replace('VERSION', '2.1.1'));
      for (const port of [4000, 4001]) {
        await machine.run(`systemctl restart audio@${port}`);
        await becomesReady(port);
      }
    });
    expect([...statuses.keys()]).toEqual([200]);
    expect(await failedUnits()).toBe('');
    await partnerWorks(HTTP);
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

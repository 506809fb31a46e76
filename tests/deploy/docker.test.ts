import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type DemoProvider, startDemoProvider } from '../../server/demo/demoProvider.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { CREATE_TOKEN, LOGIN, SESSION } from '../support/testApp.ts';
import { writeCertificate } from './certificates.ts';
import { type DockerMachine, startDockerMachine } from './dockerMachine.ts';
import { commandsOf, OPERATIONS, settingOf } from './operatorsMachine.ts';

// Builds images and waits for instances that hang, on machines that may be busy.
vi.setConfig({ testTimeout: 300_000 });

const PUBLIC_HOST = 'audio.example';
const ACCOUNT = { username: 'radio@uno.example', password: 'secreto de uno' };
const ASKED_AT_ONCE = 3;
const PAUSE_MS = 30;
const INSTANCES = ['app-1', 'app-2'];
const SILENCE_SECONDS = 10;
/** Each look starts several programs, beside instances that need the processor. */
const SELDOM = { interval: 500 };

let machine: DockerMachine;
let provider: DemoProvider;
let started: string;
const [start = '', installOnMachine = ''] = commandsOf('In containers', 2);
const audio = 'audio() { deploy/audio.sh "$@"; }\n';
/** Of the table, with an instance's name. */
const [restart = ''] =
  /docker compose up --detach --no-deps --force-recreate --wait app-1/.exec(OPERATIONS) ?? [];

beforeAll(async () => {
  machine = await startDockerMachine();
  provider = await startDemoProvider({ host: machine.outside, port: 0 });
  setVariables({});
  started = await machine.run(start);
  await machine.run(`${audio}
    audio account add --username ${ACCOUNT.username} --company 'Radio Uno' <<< '${ACCOUNT.password}'`);
}, 900_000);
afterAll(async () => {
  await provider?.close();
  await machine?.close();
});

/** Writes .env. */
function setVariables(others: Record<string, string>): void {
  const variables = {
    PUBLIC_HOST,
    POSTGRES_PASSWORD: '5ec2e75ec2e7',
    JWT_SECRET: 'a secret of the test, of 32 bytes or more',
    PROVIDER_TOKEN_URL: provider.tokenUrl,
    STREAM_BASE_URL: provider.streamBaseUrl,
    ...others,
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  machine.write('opt/audio/.env', lines.join(''));
}

type Asking = { jwt?: string; origin?: string; dispatcher?: Agent };

async function ask(
  query: string,
  { jwt = '', origin = `http://${machine.address}`, dispatcher }: Asking = {},
) {
  const { statusCode, body } = await request(`${origin}/graphql`, {
    method: 'POST',
    headers: {
      host: PUBLIC_HOST,
      'content-type': 'application/json',
      ...(jwt && { authorization: `Bearer ${jwt}` }),
    },
    body: JSON.stringify({ query, variables: ACCOUNT }),
    ...(dispatcher && { dispatcher }),
  });
  const text = await body.text();
  if (statusCode !== 200 || text.includes('"errors"')) throw new Error(`${statusCode} ${text.slice(0, 300)}`);
  return JSON.parse(text).data;
}

async function signIn(): Promise<string> {
  return (await ask(LOGIN)).login.jwt;
}

async function getsToken(): Promise<boolean> {
  const jwt = await signIn();
  const { createToken } = await ask(CREATE_TOKEN, { jwt });
  const stream = await request(createToken.streamUrl);
  stream.body.destroy();
  return stream.statusCode === 200;
}

/** Asks again and again, as several tools do, until it is stopped. */
async function keepAsking() {
  const jwt = await signIn();
  const failures: string[] = [];
  let answers = 0;
  let isOver = false;
  const asking = Array.from({ length: ASKED_AT_ONCE }, async () => {
    while (!isOver) {
      await ask(SESSION, { jwt }).then(
        () => {
          answers += 1;
        },
        (error) => failures.push(String(error)),
      );
      await delay(PAUSE_MS);
    }
  });
  const stop = async () => {
    isOver = true;
    await Promise.all(asking);
    return { answers, failures };
  };
  onTestFinished(async () => void (await stop()));
  return { stop, answers: () => answers };
}

async function inspect(service: string, field: string): Promise<string> {
  const found = await machine.run(
    `docker inspect --format '{{json .${field}}}' $(docker compose ps --all --quiet ${service})`,
  );
  return JSON.parse(found);
}

const restartsOf = async (service: string) => Number(await inspect(service, 'RestartCount'));
/** Sends a signal to the instance itself, which is a child of Docker's init. */
const signal = (name: string, ...services: string[]) =>
  machine.run(`
    for service in ${services.join(' ')}; do
      pkill --signal ${name} --parent "$(docker inspect --format '{{.State.Pid}}' $(docker compose ps --quiet $service))"
    done`);
const isHealthy = (service: string) =>
  expect.poll(() => inspect(service, 'State.Health.Status'), SELDOM).toBe('healthy');
const untaggedImages = () =>
  machine.run(
    "docker image ls --filter dangling=true --filter 'label=org.opencontainers.image.title' --quiet",
  );

describe('compose.yaml in a Docker', () => {
  test('starts from nothing by the commands of the manual, and gives out tokens', async () => {
    expect(started).toMatch(/^ok provider: /m);
    expect(started).not.toContain('FAILED');
    expect(await getsToken()).toBe(true);
    expect(await untaggedImages()).toBe('');
    expect(machine.askedRegistries).toEqual([]);
  });

  test('knows a caller’s address', async () => {
    await ask('{ unknown }').catch(() => {});
    const log = () => machine.run('docker compose logs --no-log-prefix app-1 app-2');
    await expect.poll(log).toMatch(`"address":"${machine.outside}","codes":["GRAPHQL_VALIDATION_FAILED"]`);
  });

  test('meets a balancer on the same machine by the address that the manual names', async () => {
    const [, address = ''] =
      /balancer or tunnel on the same machine reaches nginx from ([\d.]+)/.exec(OPERATIONS) ?? [];
    const fromContainer = (options: string, url: string) =>
      machine.run(`docker run --rm ${options} nginx:1.30.5-alpine wget -Y off -qO- \\
        --header 'Host: ${PUBLIC_HOST}' --header 'Content-Type: application/json' \\
        --post-data '{"query":"{ fromBalancer }"}' ${url}/graphql || true`);
    const since = new Date().toISOString();
    await fromContainer('', `http://${machine.address}`);
    await fromContainer('--network host', 'http://127.0.0.1');
    const callers = async () =>
      (await machine.run(`docker compose logs --no-log-prefix --since ${since} app-1 app-2`)).match(
        /(?<="address":")[^"]*(?=","codes")/g,
      );
    await expect.poll(callers).toEqual([address, address]);
  });

  test('check reads the present .env beside running instances', async () => {
    setVariables({ TRUST_PROXY: 'unos' });
    onTestFinished(() => setVariables({}));
    await expect(machine.run('docker compose run --rm --no-deps check')).rejects.toMatchObject({
      code: 78,
      stdout: expect.stringContaining('TRUST_PROXY'),
    });
    expect(await machine.run(`${audio}audio check`)).toMatch(/^ok configuration: /m);
  });
});

describe('account commands in a container', () => {
  test('ask for a password twice on a terminal, without showing it', async () => {
    const terminal = machine.onTerminal(`${audio}audio account set-password --username ${ACCOUNT.username}`);
    await expect.poll(() => terminal.output).toContain('Password: ');
    terminal.type(`${ACCOUNT.password}\r`);
    await expect.poll(() => terminal.output).toContain('The same again: ');
    terminal.type(`${ACCOUNT.password}\r`);
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.output).toContain('Changed the password');
    expect(terminal.output).not.toContain(ACCOUNT.password);
  });

  test('end by Ctrl-C with 130', async () => {
    const terminal = machine.onTerminal(`${audio}audio account set-password --username ${ACCOUNT.username}`);
    await expect.poll(() => terminal.output).toContain('Password: ');
    terminal.type('\x03');
    expect(await terminal.exitCode).toBe(130);
  });

  test('take no typed password where it would be shown', async () => {
    const terminal = machine.onTerminal(
      `${audio}audio account set-password --username ${ACCOUNT.username} > /root/told`,
    );
    expect(await terminal.exitCode).not.toBe(0);
    expect(terminal.output).toContain('no password on standard input');
  });

  test('leave the input of a loop to the loop, and name the caller', async () => {
    const usernames = ['uno', 'dos', 'tres'].map((name) => `bucle@${name}.example`);
    const list = usernames.join('\n');
    await machine.run(`${audio}
      while read -r name; do audio account add --username "$name" --company Bucle --generate; done <<< '${list}'
      while read -r name; do audio account disable --username "$name"; done <<< '${list}'`);
    const accounts = JSON.parse(await machine.run(`${audio}audio account list --search bucle@ --json`));
    expect(accounts).toEqual(usernames.map(() => expect.objectContaining({ disabled: true })));
    const audit = await machine.run(`${audio}audio account audit`);
    expect(audit).toMatch(/ {2}root {2,}disable /);
    expect(audit).not.toMatch(/ {2}node {2}/);
  });
});

describe('with traffic', () => {
  test('an instance that is killed is started again, and no request fails', async () => {
    const before = await restartsOf('app-1');
    const traffic = await keepAsking();
    await signal('KILL', 'app-1');
    await expect.poll(() => restartsOf('app-1'), SELDOM).toBe(before + 1);
    await isHealthy('app-1');
    expect((await traffic.stop()).failures).toEqual([]);
  });

  test('an instance that hangs is restarted', async () => {
    const [first, second = 0] = await Promise.all(INSTANCES.map(restartsOf));
    const traffic = await keepAsking();
    await signal('STOP', 'app-2');
    await expect.poll(() => restartsOf('app-2'), SELDOM).toBe(second + 1);
    await isHealthy('app-2');
    const { failures } = await traffic.stop();
    expect(failures.filter((failure) => !/^Error: 50[24] /.test(failure))).toEqual([]);
    expect(await restartsOf('app-1')).toBe(first);
    expect(await machine.run('docker compose logs --no-log-prefix app-2')).toContain('answers nothing');
    expect(await getsToken()).toBe(true);
  });
});

describe('with half the patience', () => {
  const override = 'opt/audio/compose.override.yaml';

  beforeAll(async () => {
    const impatient = `{ environment: { AUDIO_WATCH_SILENCE: ${SILENCE_SECONDS} } }`;
    machine.write(override, `services: { app-1: ${impatient}, app-2: ${impatient} }`);
    await machine.run(restart.replace('app-1', INSTANCES.join(' ')));
  });
  // The next test starts new instances.
  afterAll(() => machine.run('rm compose.override.yaml'));

  test('two instances that hang are not restarted at once', async () => {
    const before = await Promise.all(INSTANCES.map(restartsOf));
    await signal('STOP', ...INSTANCES);
    await expect
      .poll(() => Promise.all(INSTANCES.map(restartsOf)), SELDOM)
      .toEqual(before.map((count) => count + 1));
    const [startOfFirst, endOfSecond] = [
      await inspect('app-1', 'State.StartedAt'),
      await inspect('app-2', 'State.FinishedAt'),
    ];
    expect(Date.parse(endOfSecond)).toBeGreaterThan(Date.parse(startOfFirst));
    for (const name of INSTANCES) await isHealthy(name);
  });

  test('a pause of the container is no reason to restart it', async () => {
    await signal('STOP', 'app-1');
    const check = machine.onTerminal('docker compose exec app-1 bash -x /watch-container.sh');
    await expect.poll(() => check.output).toContain('(( seconds-- ))');
    await machine.run(`docker compose pause app-1; sleep ${SILENCE_SECONDS + 2}`);
    await signal('CONT', 'app-1');
    await machine.run('docker compose unpause app-1');
    expect(await check.exitCode).toBe(0);
  });
});

test('an upgrade and the way back lose no request and ask no registry', async () => {
  const traffic = await keepAsking();
  await machine.run(`
    sed -i 's/\\(image: audio-oficial-premium\\):.*/\\1:9.9.9/' compose.yaml
    sed -i 's/^ARG VERSION=.*/ARG VERSION=9.9.9/' Dockerfile
    docker compose build`);
  for (const name of INSTANCES) await machine.run(restart.replace('app-1', name));
  expect(await inspect('app-2', 'Config.Image')).toBe('audio-oficial-premium:9.9.9');
  const [, back = ''] = commandsOf('Go back to the previous release', 2);
  const version = JSON.parse(machine.read('opt/audio/package.json')).version;
  await machine.run(back.replace('VERSION', version));
  for (const name of INSTANCES)
    await machine.run(restart.replace('app-1', name).replace('--no-deps', '--no-build --no-deps'));
  expect(await inspect('app-2', 'Config.Image')).toBe(`audio-oficial-premium:${version}`);
  expect((await traffic.stop()).failures).toEqual([]);
  expect(await untaggedImages()).toBe('');
  expect(machine.askedRegistries).toEqual([]);
});

test('after a restart, installing for the machine replaces no container but the proxy', async () => {
  await machine.run(restart);
  const others = () => machine.run('docker compose ps --quiet database app-1 app-2');
  const before = await others();
  await machine.run(`export DESTDIR=/\n${installOnMachine.replace('install.sh', 'install.sh --http')}`);
  expect(await others()).toBe(before);
});

describe('a backup', () => {
  const installed = commandsOf('Back up and restore', 6);
  const restore = installed.at(-1) ?? '';
  const backUp = async () => {
    const unit =
      machine.read('opt/audio/deploy/audio-backup.service') +
      machine.read('etc/systemd/system/audio-backup.service.d/containers.conf');
    return machine.run(`
      export STATE_DIRECTORY=/var/lib/audio-backup ${settingOf(unit, 'Environment')}
      ${settingOf(unit, 'ExecStart')}`);
  };

  beforeAll(async () => {
    await machine.run('DESTDIR=/ deploy/install.sh --containers . --http');
  });

  test('is restored into another database', async () => {
    expect(await backUp()).toContain('Restored the backup for a test');
    await machine.run(`${audio}audio account disable --username ${ACCOUNT.username}`);
    await machine.run(restore);
    setVariables({ POSTGRES_DATABASE: 'audio_restored' });
    await machine.run(restart.replace('app-1', INSTANCES.join(' ')));
    expect(await getsToken()).toBe(true);
  });

  test('brings the accounts to the next major version of PostgreSQL, and the old one stays', async () => {
    const [, stop = ''] = commandsOf('Upgrade and migrate', 2);
    const [, override = ''] = /```yaml\n(services:\n {2}database: .*?)```/s.exec(OPERATIONS) ?? [];
    await machine.run(`systemctl() { :; }\n${stop}`);
    await backUp();
    machine.write('opt/audio/compose.override.yaml', override);
    await machine.run(`docker compose up --detach --wait database\n${restore}`);
    await machine.run('docker compose up --detach --wait');
    expect(await inspect('database', 'Config.Image')).toBe('postgres:19.1');
    expect(await getsToken()).toBe(true);

    await machine.run('rm compose.override.yaml && docker compose up --detach --wait');
    expect(await inspect('database', 'Config.Image')).toBe('postgres:18.6');
    expect(await getsToken()).toBe(true);
  });
});

test('https, after `down` and another start, serves the same accounts', async () => {
  await machine.run('docker compose down && docker compose up --detach --wait');
  const tls = temporaryFolder();
  writeCertificate(tls, 7);
  for (const name of ['fullchain.pem', 'privkey.pem'])
    machine.write(`etc/audio/tls/${name}`, readFileSync(path.join(tls, name), 'utf8'));
  // The backup's installation was told to do without.
  await machine.run(`export DESTDIR=/\n${installOnMachine.replace('install.sh', 'install.sh --https')}`);
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false, servername: PUBLIC_HOST } });
  onTestFinished(() => dispatcher.destroy());
  const origin = `https://${machine.address}`;
  expect(await ask(LOGIN, { origin, dispatcher })).toMatchObject({ login: { jwt: expect.any(String) } });
  const page = await request(`http://${machine.address}/`, { headers: { host: PUBLIC_HOST } });
  expect([page.statusCode, page.headers.location]).toEqual([301, `https://${PUBLIC_HOST}/`]);
});

test('the advice for an unreadable database.sql helps', async () => {
  await machine.run('docker compose down --volumes && chmod 600 deploy/database.sql');
  setVariables({});
  // Otherwise Docker waits for a minute before it calls the database unhealthy.
  const override = 'services: { database: { healthcheck: { start_period: 1s } } }';
  machine.write('opt/audio/compose.override.yaml', override);
  onTestFinished(async () => void (await machine.run('rm compose.override.yaml')));
  await expect(machine.run('docker compose up --detach --wait')).rejects.toThrow('unhealthy');
  const log = () => machine.run('docker compose logs --no-log-prefix database');
  await expect.poll(log).toContain('Give it mode 0644');
  const [, advice = ''] = /Give it mode 0644, and run: (.*)/.exec(await log()) ?? [];
  await machine.run(`chmod 644 deploy/database.sql\n${advice}\ndocker compose up --detach --wait`);
});

test('one instance alone starts from nothing', async () => {
  await machine.run(
    'docker compose down --volumes && docker image ls --quiet audio-oficial-premium | xargs --no-run-if-empty docker image rm',
  );
  await machine.run('docker compose up --detach --wait app-2');
  expect(await inspect('app-2', 'State.Health.Status')).toBe('healthy');
  expect(machine.askedRegistries).toEqual([]);
});

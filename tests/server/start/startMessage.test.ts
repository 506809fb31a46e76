import { expect, test } from 'vitest';
import { readConfig } from '../../../server/config/config.ts';
import type { Demo } from '../../../server/demo/demo.ts';
import { welcome } from '../../../server/start/startMessage.ts';

const ACCOUNT = { username: 'demo@radio.example', password: 'demo-premium', company: 'Radio Demo' } as const;
const STREAM_BASE_URL = 'http://x.example/?wmsAuthSign=';

function said(
  env: Record<string, string>,
  {
    address = 'http://127.0.0.1:4000',
    database = null,
    proxy = null,
  }: { address?: string; database?: Demo['database']; proxy?: string | null } = {},
): string {
  const settings = { databaseUrl: '', jwtSecret: '', providerTokenUrl: '', streamBaseUrl: STREAM_BASE_URL };
  return welcome({
    address,
    config: readConfig(env),
    streamBaseUrl: STREAM_BASE_URL,
    proxy,
    demo: { settings, database },
    demoAccount: env.DATABASE_URL === undefined ? ACCOUNT : null,
  });
}

test('the usual demo is told without a warning', () => {
  expect(said({})).not.toMatch(/Warning|every address/);
});

test('the proxy by which the provider is asked is told', () => {
  expect(said({}, { proxy: 'the proxy http://proxy.example:3128 (HTTPS_PROXY)' })).toMatch(
    /Provider +asked through the proxy http:\/\/proxy\.example:3128/,
  );
});

test('without a demo account the terminal is told how to add one', () => {
  expect(said({ DATABASE_URL: 'postgresql://db.example/audio' })).toContain('npm run account -- add');
});

test('data that another user of the machine may change is warned of', () => {
  const database = { folder: '/var/lib/x', isShared: true };
  expect(said({}, { database })).toMatch(/Warning +PostgreSQL .* runs as `nobody`/);
  expect(said({}, { database: { ...database, isShared: false } })).not.toContain('Warning');
});

test.each(['0.0.0.0', '::', '0'])('listening on %s is told as every address of the machine', (HOST) => {
  expect(said({ HOST })).toContain('port 4000 of every address of this machine');
});

test('listening on :: is told as an address that a browser opens', () => {
  expect(said({ HOST: '::' }, { address: 'http://[::]:4000' })).toMatch(/Open +http:\/\/localhost:4000\n/);
});

test("one provider's tokens with another's stream are warned of", () => {
  const PROVIDER_TOKEN_URL = 'https://provider.example/audio';
  expect(said({ PROVIDER_TOKEN_URL })).toMatch(/Warning +PROVIDER_TOKEN_URL is set without STREAM_BASE_URL/);
  expect(said({ STREAM_BASE_URL })).toMatch(/Warning +STREAM_BASE_URL is set without PROVIDER_TOKEN_URL/);
  expect(said({ PROVIDER_TOKEN_URL, STREAM_BASE_URL })).not.toContain('Warning');
});

test('a complete configuration without NODE_ENV is warned of', () => {
  const env = {
    DATABASE_URL: 'postgresql://db.example/audio',
    JWT_SECRET: 'a secret that signs sessions, long enough',
    PROVIDER_TOKEN_URL: 'https://provider.example/audio',
    STREAM_BASE_URL,
  };
  expect(said(env)).toMatch(
    /Warning +NODE_ENV is not production: requests are not logged, and Apollo Sandbox and introspection are open to everybody\n/,
  );
  expect(said({ ...env, APOLLO_SANDBOX: 'off' })).toMatch(/Warning .*: requests are not logged\n/);
  expect(said({ ...env, JWT_SECRET: '' })).not.toContain('Warning');
});

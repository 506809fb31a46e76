import { expect, test, vi } from 'vitest';
import { readConfig } from '../../server/config/config.ts';
import { composed } from './composed.ts';

// docker-compose is slow, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const IN_DOT_ENV = {
  PUBLIC_HOST: 'audio.example',
  POSTGRES_PASSWORD: '5ec2e7',
  JWT_SECRET: 'a secret of compose, of 32 bytes or more',
  PROVIDER_TOKEN_URL: 'https://provider.example/secure/audio',
  STREAM_BASE_URL: 'https://stream.example/mp3/icecast.audio?wmsAuthSign=',
};
const INSTANCES = ['app-1', 'app-2', 'check'];

const lines = (env: Record<string, string>) =>
  Object.entries(env)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

test('docker-compose gives each instance a configuration that the server accepts', async () => {
  const result = await composed(lines({ ...IN_DOT_ENV, TRUST_PROXY: '2' }));
  expect(Object.keys(result).sort()).toEqual([...INSTANCES, 'database', 'proxy']);
  for (const name of INSTANCES) {
    const config = readConfig({ NODE_ENV: 'production', ...result[name]?.environment });
    expect(config).toMatchObject({
      port: 4000,
      trustProxy: 2,
      previousJwtSecret: null,
      apolloSandbox: false,
    });
    const address = new URL(config.given.databaseUrl ?? '');
    expect(address.hostname).toBe('database');
    expect(result.database?.environment).toEqual({ POSTGRES_PASSWORD: address.password });
    expect(address.password).toBe(IN_DOT_ENV.POSTGRES_PASSWORD);
    // As deploy/database.sql creates them.
    expect([address.username, address.pathname]).toEqual(['audio', '/audio']);
  }
});

test('POSTGRES_DATABASE points the instances to a restored database', async () => {
  const result = await composed(lines({ ...IN_DOT_ENV, POSTGRES_DATABASE: 'audio_restored' }));
  for (const name of INSTANCES) {
    expect(new URL(result[name]?.environment.DATABASE_URL ?? '').pathname).toBe('/audio_restored');
  }
  expect(result.database?.environment).toEqual({ POSTGRES_PASSWORD: IN_DOT_ENV.POSTGRES_PASSWORD });
});

test.each(Object.keys(IN_DOT_ENV))('docker-compose starts nothing without %s', async (missing) => {
  await expect(composed(lines({ ...IN_DOT_ENV, [missing]: '' }))).rejects.toThrow(missing);
});

test('docker-compose gives each instance NODE_EXTRA_CA_CERTS, which Node reads at its start', async () => {
  const NODE_EXTRA_CA_CERTS = '/etc/audio/authority.pem';
  const result = await composed(lines({ ...IN_DOT_ENV, NODE_EXTRA_CA_CERTS }));
  for (const name of INSTANCES) expect(result[name]?.environment).toMatchObject({ NODE_EXTRA_CA_CERTS });
});

test('docker-compose accepts deploy/compose.https.yaml', async () => {
  expect(Object.keys(await composed(lines(IN_DOT_ENV), 'deploy/compose.https.yaml'))).toContain('proxy');
});

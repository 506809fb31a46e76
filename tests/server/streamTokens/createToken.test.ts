import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CodedError } from '../../../server/errors.ts';
import {
  ACCOUNT,
  CREATE_TOKEN,
  providerOf,
  STREAM_BASE_URL,
  startTestApp,
  type TestApp,
} from '../../support/testApp.ts';
import { createTestDatabase } from '../../support/testDatabase.ts';

const TOKEN = 'c2VydmVyX3RpbWU9Ny80LzIwMjUgMzowNTowOSBQTSZoYXNoX3ZhbHVlPStB+/8=';
const jwtSecret = 'the same for every app of this file, so one session serves all';
const running: TestApp[] = [];
let databaseUrl: string;
let headers: { authorization: string };

beforeAll(async () => {
  const database = await createTestDatabase();
  databaseUrl = database.url;
  const app = await startTestApp({ databaseUrl, jwtSecret });
  await app.addAccount(ACCOUNT);
  headers = await app.bearer();
  await app.close();
  return () => database.drop();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((app) => app.close()));
});

async function appWith(options: Parameters<typeof startTestApp>[0]): Promise<TestApp> {
  const app = await startTestApp({ databaseUrl, jwtSecret, ...options });
  running.push(app);
  return app;
}

describe('createToken', () => {
  test('answers the token untouched, the stream URL, the company, and an expiry 20 minutes ahead', async () => {
    const now = new Date();
    const app = await appWith({ provider: providerOf(TOKEN), clock: () => now });

    const { data, errors } = await app.graphql(CREATE_TOKEN, { headers });
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      createToken: {
        token: TOKEN,
        streamUrl: STREAM_BASE_URL + TOKEN,
        company: 'Radio Uno',
        expiry: new Date(now.getTime() + 1_200_000).toISOString(),
        lifetimeSeconds: 1200,
      },
    });
  });

  test('asks the provider nothing for the signed out: UNAUTHENTICATED', async () => {
    let asked = 0;
    const app = await appWith({
      provider: {
        async fetchToken() {
          asked += 1;
          return TOKEN;
        },
        async close() {},
      },
    });
    for (const forged of [{}, { authorization: 'Bearer x.y.z' }, { cookie: 'session=x.y.z' }]) {
      const { data, errors } = await app.graphql(CREATE_TOKEN, { headers: forged });
      expect(data).toBeNull();
      expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    }
    expect(asked).toBe(0);
  });

  test.each(['PROVIDER_UNAVAILABLE', 'PROVIDER_BAD_ANSWER'] as const)(
    'answers %s as the provider failed, and what lies behind goes to the log alone',
    async (code) => {
      const cause = new Error('connect ECONNREFUSED 10.1.2.3:443');
      const app = await appWith({
        provider: providerOf(new CodedError(code, 'The provider failed', { cause })),
      });
      const { data, errors, text } = await app.graphql(CREATE_TOKEN, { headers });
      expect(data).toBeNull();
      expect(errors?.[0]).toMatchObject({ message: 'The provider failed', extensions: { code } });
      expect(text).not.toContain('10.1.2.3');
      expect(app.logLines.join('')).toContain('10.1.2.3');
    },
  );

  test('a failure that nobody foresaw is INTERNAL_SERVER_ERROR, and shows nothing of the inside', async () => {
    const app = await appWith({ provider: providerOf(new TypeError('boom in /srv/app/secret.ts')) });
    const { errors, text } = await app.graphql(CREATE_TOKEN, { headers });
    expect(errors?.[0]).toMatchObject({
      message: 'Internal server error',
      extensions: { code: 'INTERNAL_SERVER_ERROR' },
    });
    expect(text).not.toMatch(/boom|secret\.ts|stack/);
    expect(app.logLines.filter((line) => line.includes('boom in'))).toHaveLength(1);
  });

  test('no token reaches the log', async () => {
    const app = await appWith({ provider: providerOf(TOKEN) });
    await app.graphql(CREATE_TOKEN, { headers });
    expect(app.logLines.join('')).not.toContain(TOKEN.slice(0, 20));
  });
});

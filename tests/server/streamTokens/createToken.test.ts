import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { CodedError } from '../../../server/errors.ts';
import {
  ACCOUNT,
  CREATE_TOKEN,
  SESSION,
  STREAM_BASE_URL,
  startTestApp,
  type TestApp,
} from '../../support/testApp.ts';

const TOKEN = 'c2VydmVyX3RpbWU9Ny80LzIwMjUgMzowNTowOSBQTSZoYXNoX3ZhbHVlPStB+/8=';
const NOW = new Date();

const fetchToken = vi.fn<() => Promise<string>>();
let app: TestApp;
let headers: { authorization: string };

beforeAll(async () => {
  app = await startTestApp({ clock: () => NOW, provider: { fetchToken, close: async () => {} } });
  await app.addAccount(ACCOUNT);
  headers = await app.bearer();
});
afterAll(() => app.close());
beforeEach(() => {
  fetchToken.mockReset().mockResolvedValue(TOKEN);
  app.logLines.length = 0;
});

describe('createToken', () => {
  test('answers the token untouched, the stream URL, the company, and an expiry 20 minutes ahead, and logs no token', async () => {
    const { data, errors } = await app.graphql(CREATE_TOKEN, { headers });
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      createToken: {
        token: TOKEN,
        streamUrl: STREAM_BASE_URL + TOKEN,
        company: 'Radio Uno',
        expiry: new Date(NOW.getTime() + 1_200_000).toISOString(),
        lifetimeSeconds: 1200,
      },
    });
    expect(app.logLines.join('')).not.toContain(TOKEN.slice(0, 20));
  });

  test('asks the provider nothing for the signed out: UNAUTHENTICATED', async () => {
    for (const forged of [{}, { authorization: 'Bearer x.y.z' }, { cookie: 'session=x.y.z' }]) {
      const { data, errors } = await app.graphql(CREATE_TOKEN, { headers: forged });
      expect(data).toBeNull();
      expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    }
    expect(fetchToken).not.toHaveBeenCalled();
  });

  test.each(['PROVIDER_UNAVAILABLE', 'PROVIDER_BAD_ANSWER'] as const)(
    'answers %s as the provider failed, and what lies behind goes to the log alone',
    async (code) => {
      const cause = new Error('connect ECONNREFUSED 10.1.2.3:443');
      fetchToken.mockRejectedValue(new CodedError(code, 'The provider failed', { cause }));
      const { data, errors, text } = await app.graphql(CREATE_TOKEN, { headers });
      expect(data).toBeNull();
      expect(errors?.[0]).toMatchObject({ message: 'The provider failed', extensions: { code } });
      expect(text).not.toContain('10.1.2.3');
      expect(app.logLines.join('')).toContain('10.1.2.3');
    },
  );

  test('a failure that nobody foresaw is INTERNAL_SERVER_ERROR, and shows nothing of the inside', async () => {
    fetchToken.mockRejectedValue(new TypeError('boom in /srv/app/secret.ts'));
    const { errors, text } = await app.graphql(CREATE_TOKEN, { headers });
    expect(errors?.[0]).toMatchObject({
      message: 'Internal server error',
      extensions: { code: 'INTERNAL_SERVER_ERROR' },
    });
    expect(text).not.toMatch(/boom|secret\.ts|stack/);
    expect(app.logLines.filter((line) => line.includes('boom in'))).toHaveLength(1);
  });
});

describe('the limits of an account', () => {
  /** Signs in an account of its own, of which nothing is counted yet. */
  async function newPartner() {
    const { id, username } = await app.addAccount({ ...ACCOUNT, username: randomUUID().slice(0, 32) });
    const { jwt, cookie } = await app.signIn(username);
    return {
      byTool: () => app.graphql(CREATE_TOKEN, { headers: { authorization: `Bearer ${jwt}` } }),
      byBrowser: () => app.graphql(CREATE_TOKEN, { headers: { cookie } }),
      records: () => app.prisma.tokenRecord.count({ where: { accountId: id } }),
    };
  }
  const times = <T>(count: number, ask: () => Promise<T>) => Array.from({ length: count }, ask);
  const refused = (message: string, retryAfterSeconds: unknown) => [
    { message, extensions: { code: 'RATE_LIMITED', retryAfterSeconds }, path: ['createToken'] },
  ];

  test('are 4 requests under way by its browsers and 4 by its tools: one more is refused at once, and nobody else waits', async () => {
    let answer = (_token: string) => {};
    const held = new Promise<string>((resolve) => {
      answer = resolve;
    });
    fetchToken.mockReturnValue(held);
    const partner = await newPartner();
    const underWay = [...times(4, partner.byTool), ...times(4, partner.byBrowser)];
    await expect.poll(() => fetchToken).toHaveBeenCalledTimes(8);
    for (const ask of [partner.byTool, partner.byBrowser]) {
      for (const { data, errors } of await Promise.all(times(20, ask))) {
        expect(data).toBeNull();
        expect(errors).toMatchObject(refused('Too many requests at once, try again in 1 second', 1));
      }
    }
    expect(fetchToken).toHaveBeenCalledTimes(8);
    expect((await app.graphql(SESSION, { headers })).data?.session).not.toBeNull();
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
    fetchToken.mockResolvedValue(TOKEN);
    expect((await (await newPartner()).byTool()).errors).toBeUndefined();

    answer(TOKEN);
    for (const { errors } of await Promise.all(underWay)) expect(errors).toBeUndefined();
    expect((await partner.byTool()).errors).toBeUndefined();
    expect(await partner.records()).toBe(9);
  });

  test('are 60 requests a minute by its tools and 60 by its browsers: one more reaches neither provider nor ledger', async () => {
    const partner = await newPartner();
    for (const ask of [partner.byTool, partner.byBrowser]) {
      fetchToken.mockClear();
      for (let batch = 0; batch < 15; batch += 1) {
        for (const { errors } of await Promise.all(times(4, ask))) expect(errors).toBeUndefined();
      }
      for (const { errors } of await Promise.all(times(20, ask))) {
        expect(errors?.[0]?.extensions.retryAfterSeconds).toBeGreaterThan(0);
        expect(errors).toMatchObject(
          refused(
            expect.stringMatching(
              /^Too many (tokens in a minute, try again in \d\d seconds|requests at once, .+)$/,
            ),
            expect.any(Number),
          ),
        );
      }
      expect(fetchToken).toHaveBeenCalledTimes(60);
    }
    expect(await partner.records()).toBe(120);
    expect((await (await newPartner()).byTool()).errors).toBeUndefined();
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNT, startTestApp, type TestApp } from '../../support/testApp.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await app.addAccount(ACCOUNT);
});
afterAll(() => app.close());

const guess = (alias: string) =>
  `${alias}: login(username: "${ACCOUNT.username}", password: "${ACCOUNT.password}") { id }`;

describe('one request is one attempt to sign in', () => {
  test.each([2, 10_000])('%i aliases of login: none is tried', async (count) => {
    const { status, data, errors, headers } = await app.graphql(
      `mutation { ${Array.from({ length: count }, (_, index) => guess(`g${index}`)).join(' ')} }`,
    );
    expect(status).toBeGreaterThanOrEqual(400);
    expect(data).toBeUndefined();
    expect(errors).toHaveLength(1);
    expect(headers.getSetCookie()).toEqual([]);
    expect(await app.prisma.session.count()).toBe(0);
  });

  test.each([
    ['a fragment', `mutation { ...F } fragment F on Mutation { ${guess('a')} ${guess('b')} }`],
    [
      'a fragment in a fragment',
      `mutation { ${guess('a')} ...F } fragment F on Mutation { ...G } fragment G on Mutation { ${guess('b')} }`,
    ],
    ['inline fragments', `mutation { ... on Mutation { ${guess('a')} } ... { ${guess('b')} } }`],
    ['another mutation beside it', `mutation { ${guess('a')} createToken { token } }`],
    ['fields that are skipped', `mutation { ${guess('a')} b: logout @skip(if: true) }`],
  ])('%s does not get around it', async (_name, query) => {
    const { status, errors } = await app.graphql(query);
    expect(status).toBe(400);
    expect(errors?.map((error) => error.extensions.code)).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    expect(await app.prisma.session.count()).toBe(0);
  });

  test('a fragment that spreads itself is refused and does no harm', async () => {
    const { status } = await app.graphql('mutation { ...F } fragment F on Mutation { ...F logout }');
    expect(status).toBe(400);
  });

  test('one login, in a fragment or not, signs in; queries may ask for several things', async () => {
    const fragment = `mutation { ...F ...F } fragment F on Mutation { ${guess('a')} }`;
    expect((await app.graphql(fragment)).data?.a).toMatchObject({ id: expect.any(String) });
    expect((await app.graphql('{ a: session { id } b: session { id } }')).data).toEqual({ a: null, b: null });
  });
});

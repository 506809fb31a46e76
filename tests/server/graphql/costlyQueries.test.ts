import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COSTLY_QUERIES, HEAVY_QUERIES } from '../../support/costlyQueries.ts';
import { ACCOUNT, LOGIN, SESSION, startTestApp, type TestApp } from '../../support/testApp.ts';

const SANDBOX_INTROSPECTION = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

let app: TestApp;
/** Has Sandbox on, and so introspection for everybody. */
let open: TestApp;
/** Has a database that is away, so that a query that asks it fails. */
let withoutDatabase: TestApp;
let signedIn: { authorization: string };

beforeAll(async () => {
  app = await startTestApp();
  await app.addAccount(ACCOUNT);
  signedIn = await app.bearer();
  open = await startTestApp({ sandbox: { credentials: null }, databaseUrl: app.databaseUrl });
  withoutDatabase = await startTestApp({
    databaseUrl: 'postgresql://nobody@127.0.0.1:9/none',
    jwtSecret: app.jwtSecret,
  });
});
afterAll(() => Promise.all([app, open, withoutDatabase].map((one) => one.close())));

describe('a costly query', () => {
  const names = Object.keys(COSTLY_QUERIES);
  const query = (name: string) => COSTLY_QUERIES[name] ?? '';

  test.each(names)('of %s is refused with 400 and few words and without the database', async (name) => {
    for (const one of [app, open]) {
      const { status, data, errors, text } = await one.graphql(query(name));
      expect(status).toBe(400);
      expect(data).toBeUndefined();
      expect(errors?.length).toBeLessThanOrEqual(11);
      expect(errors?.map(({ extensions }) => extensions.code).join()).toMatch(
        /^((GRAPHQL_PARSE_FAILED|GRAPHQL_VALIDATION_FAILED|OPERATION_RESOLUTION_FAILURE),?)+$/,
      );
      expect(text.length).toBeLessThan(16_000);
    }
    const { errors } = await withoutDatabase.graphql(query(name), { headers: signedIn });
    expect(errors?.map(({ extensions }) => extensions.code)).not.toContain('DATABASE_UNAVAILABLE');
  });

  test.each(Object.keys(HEAVY_QUERIES))('of %s is as far as one can go', async (name) => {
    const heavy = HEAVY_QUERIES[name] ?? '';
    expect((await app.graphql(heavy)).errors).toBeUndefined();
  });

  test('is refused for what it has too much of', async () => {
    const messageOf = async (name: string) => (await open.graphql(query(name))).errors?.[0]?.message;
    expect(await messageOf('80 aliases')).toBe('The aliases of an operation may be 10 at most');
    expect(await messageOf('160 inline fragments deep')).toBe('The depth of an operation may be 20 at most');
    expect(await messageOf('11 directives')).toBe('The directives of an operation may be 10 at most');
    expect(await messageOf('two pages of tokens')).toBe('An operation may ask for tokens once');
    expect(await messageOf('501 tokens')).toMatch(/more that 500 tokens/);
  });
});

describe('a costly body', () => {
  test('of more than 16 kB is refused unread, also when its length is not told', async () => {
    const body = JSON.stringify({ query: SESSION, variables: { x: 'x'.repeat(16 * 1024) } });
    const chunks = new ReadableStream({
      start(controller) {
        for (let at = 0; at < body.length; at += 1024)
          controller.enqueue(Buffer.from(body.slice(at, at + 1024)));
        controller.close();
      },
    });
    for (const sent of [body, chunks]) {
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: sent,
        duplex: 'half',
      } as RequestInit);
      expect([response.status, (await response.json()).errors[0].extensions.code]).toEqual([
        413,
        'PAYLOAD_TOO_LARGE',
      ]);
    }
  });

  test.each([
    ['lists 7,000 deep', `{"x":${'['.repeat(7_000)}${']'.repeat(7_000)}}`],
    ['objects 2,000 deep', `{"x":${'{"x":'.repeat(2_000)}1${'}'.repeat(2_000)}}`],
    [
      '2,000 names',
      JSON.stringify(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`v${i}`, i]))),
    ],
    ['a long number', `{"x":${'9'.repeat(15_000)}}`],
  ])('of variables that are %s is only what the operation asks for', async (_name, variables) => {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"query":${JSON.stringify(SESSION)},"variables":${variables}}`,
    });
    expect([response.status, await response.json()]).toEqual([200, { data: { session: null } }]);
  });

  test.each([
    [
      'a password that is objects 2,000 deep',
      `{"username":"radio@uno","password":${'{"x":'.repeat(2_000)}1${'}'.repeat(2_000)}}`,
    ],
    ['a prototype in its variables', '{"username":"radio@uno","__proto__":{"password":"secreto-1"}}'],
  ])('with %s is refused', async (_name, variables) => {
    const response = await fetch(`${withoutDatabase.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"query":${JSON.stringify(LOGIN)},"variables":${variables}}`,
    });
    expect(response.status).toBe(400);
    expect((await response.text()).length).toBeLessThan(500);
  });
});

describe('what has to work', () => {
  test('Sandbox’s introspection, where Sandbox is on', async () => {
    const { data, errors } = await open.graphql(SANDBOX_INTROSPECTION);
    expect(errors).toBeUndefined();
    expect(data?.__schema).toMatchObject({ queryType: { name: 'Query' } });
  });

  test('and where it is off for those who are signed in, not for strangers', async () => {
    const shown = await app.graphql(SANDBOX_INTROSPECTION, { headers: signedIn });
    expect(shown.data?.__schema).toMatchObject({ queryType: { name: 'Query' } });
    const strangers = [{}, { authorization: 'Bearer mala' }, { cookie: 'session=mala' }];
    for (const headers of strangers) {
      for (const query of [
        SANDBOX_INTROSPECTION,
        '{ a: __type(name: "Query") { name } }',
        '{ ...F } fragment F on Query { __schema { queryType { name } } }',
      ]) {
        const { status, data, errors } = await app.graphql(query, { headers });
        expect([status, data, errors?.length]).toEqual([400, undefined, 1]);
        expect(errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
      }
    }
    expect((await app.graphql('{ __typename }')).data).toEqual({ __typename: 'Query' });
  });

  test('introspection while the database is gone says so', async () => {
    const { errors } = await withoutDatabase.graphql(SANDBOX_INTROSPECTION, { headers: signedIn });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['DATABASE_UNAVAILABLE']);
    expect(withoutDatabase.logLines.join()).toContain('"code":"DATABASE_UNAVAILABLE","reason":"P1001"');
  });
});

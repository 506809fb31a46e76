import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  visit,
} from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { readSchema } from '../../../server/graphql/apolloServer.ts';
import { ACCOUNT, provideTestApp } from '../../support/testApp.ts';

const SCHEMA = readSchema();
const schema = buildSchema(SCHEMA);

test('everything in the schema is described', () => {
  const undescribed: string[] = [];
  visit(parse(SCHEMA), {
    enter(node) {
      if ('description' in node && node.description === undefined) undescribed.push(print(node));
    },
  });
  expect(undescribed).toEqual([]);
});

test('no description has more than three lines', () => {
  const long: string[] = [];
  visit(parse(SCHEMA), {
    StringValue({ value, block }) {
      if (block && value.split('\n').length > 3) long.push(value);
    },
  });
  expect(long).toEqual([]);
});

describe('a real app', () => {
  const jwtSecret = 'the secret of both apps, of 32 bytes or more';
  const app = provideTestApp({ jwtSecret });
  const databaseUrl = 'postgresql://user@127.0.0.1:9/none';
  const withoutDatabase = provideTestApp({ jwtSecret, databaseUrl });
  beforeAll(() => app.addAccount(ACCOUNT));

  test('introspection shows schema.graphql to callers who are signed in', async () => {
    const query = getIntrospectionQuery({ specifiedByUrl: true, schemaDescription: true });
    const { data } = await app.graphql(query, { headers: await app.bearer() });
    const introspected = buildClientSchema(data as unknown as IntrospectionQuery);
    const printed = printSchema(lexicographicSortSchema(introspected));
    expect(printed).toBe(printSchema(lexicographicSortSchema(schema)));
    expect(printed).toContain('\nscalar DateTime @specifiedBy(url: "https://');
  });

  test('schema.graphql is served as text to a stranger, who may keep it', async () => {
    const response = await fetch(`${withoutDatabase.url}/docs/schema.graphql`);
    expect([response.status, await response.text()]).toEqual([200, SCHEMA]);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('public, max-age=600');
  });

  test.each([
    '{ a: __type(name: "Query") { name } }',
    '{ ...F } fragment F on Query { __schema { queryType { name } } }',
  ])('introspection is refused to a stranger: %s', async (query) => {
    const { status, data, errors } = await app.graphql(query);
    expect({ status, data }).toEqual({ status: 400, data: undefined });
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED', reason: 'NO_CREDENTIALS' } }]);
  });

  test('introspection for another account than the session’s is refused without an error in the log', async () => {
    const headers = { ...(await app.bearer()), 'x-account-id': 'other' };
    const { status, errors } = await app.graphql('{ __schema { description } }', { headers });
    expect(status).toBe(400);
    expect(errors?.map(({ extensions }) => extensions)).toEqual([
      { code: 'UNAUTHENTICATED', reason: 'OTHER_ACCOUNT' },
    ]);
    expect(app.logLines.join()).not.toContain('"level":"error"');
  });

  test('introspection while the database is away fails as such', async () => {
    const headers = await app.bearer();
    const { errors } = await withoutDatabase.graphql('{ __schema { description } }', { headers });
    expect(errors).toMatchObject([{ extensions: { code: 'DATABASE_UNAVAILABLE' } }]);
    expect(withoutDatabase.logLines.join()).toContain(
      '"code":"DATABASE_UNAVAILABLE","reason":"P1001: cannot reach the server"',
    );
  });
});

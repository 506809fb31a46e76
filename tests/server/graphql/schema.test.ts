import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  lexicographicSortSchema,
  type NameNode,
  parse,
  printSchema,
  type StringValueNode,
  visit,
} from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { CodedError } from '../../../server/errors.ts';
import { SCHEMA } from '../../../server/graphql/apolloServer.ts';
import {
  ACCOUNT,
  CREATE_TOKEN,
  LOGIN,
  LOGOUT,
  providerOf,
  provideTestApp,
  SESSION,
  STREAM,
} from '../../support/testApp.ts';

const schema = buildSchema(SCHEMA);

const ROOT = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() };

/** The operations with codes that the test provokes; `login` last, because it uses up the attempts. */
const OPERATIONS: Array<[name: string, query: string, expected: string[]]> = [
  ['session', SESSION, []],
  ['stream', STREAM, ['UNAUTHENTICATED']],
  ['createToken', CREATE_TOKEN, ['UNAUTHENTICATED', 'PROVIDER_UNAVAILABLE', 'RATE_LIMITED']],
  ['tokens', '{ tokens(first: 0) { edges { cursor } } }', ['UNAUTHENTICATED', 'BAD_USER_INPUT']],
  ['logout', LOGOUT, []],
  ['login', LOGIN, ['BAD_USER_INPUT', 'INVALID_CREDENTIALS', 'RATE_LIMITED']],
];

test('everything in the schema is described', () => {
  const undescribed: string[] = [];
  const check = ({ name, description }: { name: NameNode; description?: StringValueNode }) => {
    if (description === undefined) undescribed.push(name.value);
  };
  visit(parse(SCHEMA), {
    ObjectTypeDefinition: check,
    ScalarTypeDefinition: check,
    EnumTypeDefinition: check,
    EnumValueDefinition: check,
    FieldDefinition: check,
    InputObjectTypeDefinition: check,
    InputValueDefinition: check,
  });
  expect(undescribed).toEqual([]);
});

describe('a real app', () => {
  const credentials = { username: ACCOUNT.username, password: ACCOUNT.password };
  const jwtSecret = 'the secret of both apps, of 32 bytes or more';
  const app = provideTestApp({
    jwtSecret,
    provider: providerOf(new CodedError('PROVIDER_UNAVAILABLE', 'Down')),
    tokenLimits: { maxAtOnce: 1, maxPerMinute: 1 },
  });
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

  test.each([
    '{ a: __type(name: "Query") { name } }',
    '{ ...F } fragment F on Query { __schema { queryType { name } } }',
  ])('introspection is refused to a stranger: %s', async (query) => {
    const { status, errors } = await app.graphql(query, { headers: { authorization: 'Bearer x' } });
    expect([status, errors?.map(({ extensions }) => extensions.code)]).toEqual([
      400,
      ['GRAPHQL_VALIDATION_FAILED'],
    ]);
  });

  test('__typename is answered to a stranger', async () => {
    expect((await app.graphql('{ __typename }')).data).toEqual({ __typename: 'Query' });
  });

  test('introspection while the database is away fails as such', async () => {
    const { errors } = await withoutDatabase.graphql('{ __schema { description } }', {
      headers: await app.bearer(),
    });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['DATABASE_UNAVAILABLE']);
    expect(withoutDatabase.logLines.join()).toContain('"code":"DATABASE_UNAVAILABLE","reason":"P1001"');
  });

  test.each(OPERATIONS)(
    'the description of %s names each code that it fails with',
    async (name, query, expected) => {
      const headers = await app.bearer();
      const tooShort = { username: 'x', password: 'x' };
      const answers = [
        await app.graphql(query, { variables: tooShort }),
        await app.graphql(query, { variables: credentials, headers }),
        await withoutDatabase.graphql(query, { variables: credentials, headers }),
      ];
      for (let attempt = 0; attempt < 6; attempt += 1) {
        const variables = { ...credentials, password: 'otra-clave' };
        answers.push(await app.graphql(query, { variables, headers: attempt === 0 ? {} : headers }));
      }
      const codes = new Set(
        answers.flatMap(({ errors }) => errors?.map(({ extensions }) => extensions.code) ?? []),
      );
      const named = ROOT[name]?.description?.match(/(?<=`)[A-Z][A-Z_]+(?=`)/g) ?? [];
      expect(named).toEqual(expect.arrayContaining([...codes]));
      expect([...codes]).toEqual(expect.arrayContaining(['DATABASE_UNAVAILABLE', ...expected]));
    },
  );
});

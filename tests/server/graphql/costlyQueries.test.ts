import { getIntrospectionQuery, Kind, parse, print, type SelectionSetNode, visit } from 'graphql';
import { expect, test } from 'vitest';
import { provideTestApp } from '../../support/testApp.ts';

/** The size of an answer that costs little; introspection is larger, and answered where Sandbox is on. */
const SMALL_BYTES = 16_000;

// Its database is away, so that a query that asks it fails.
const app = provideTestApp({
  databaseUrl: 'postgresql://nobody@127.0.0.1:9/none',
  sandbox: { credentials: null },
});

test.each<[what: string, query: string, message: string]>([
  ['301 tokens', `{ session { ${'id '.repeat(296)} } }`, 'more than 300 tokens'],
  [
    '403 selections',
    `{ ...F ...G } fragment F on Query { ${'...G '.repeat(66)} } fragment G on Query { ${'__typename '.repeat(5)} }`,
    'recursively requests too many selections',
  ],
  [
    '290 unknown fields',
    `{ ${Array.from({ length: 290 }, (_, i) => `x${i}`).join(' ')} }`,
    'Cannot query field',
  ],
  [
    'introspection of types of fields of types',
    '{ __schema { types { fields { type { fields { type { fields { type { name } } } } } } } } }',
    'Maximum introspection depth exceeded',
  ],
  ['two sign-ins', 'mutation { a: logout b: logout }', 'exactly one root field'],
])('%s are refused in few words and without the database', async (_what, query, message) => {
  const { status, data, errors = [], text } = await app.graphql(query);
  expect([status, data]).toEqual([400, undefined]);
  expect(errors[0]?.message).toContain(message);
  expect(errors.map(({ extensions }) => extensions.code).join()).toMatch(/^(GRAPHQL_VALIDATION_FAILED,?)+$/);
  expect(errors.length).toBeLessThanOrEqual(11);
  expect(text.length).toBeLessThan(SMALL_BYTES);
});

/** As Apollo Client does where a tool asks through it. */
function withTypenames(query: string): string {
  const typename = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } } as const;
  const addTypename = (set: SelectionSetNode) => ({ ...set, selections: [...set.selections, typename] });
  return print(visit(parse(query), { SelectionSet: addTypename }));
}

test.each([
  ['as Apollo Sandbox asks', (query: string) => query],
  ['with __typename in each selection', withTypenames],
])('introspection %s is within the limits', async (_how, asked) => {
  const all = { specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true };
  const introspection = getIntrospectionQuery({ ...all, inputValueDeprecation: true, oneOf: true });
  const { data, errors } = await app.graphql(asked(introspection));
  expect(errors).toBeUndefined();
  expect(data?.__schema).toMatchObject({ queryType: { name: 'Query' } });
});

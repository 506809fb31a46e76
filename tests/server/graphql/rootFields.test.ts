import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { rootFieldLimits } from '../../../server/graphql/rootFields.ts';

const schema = buildSchema(`
  type Query { tokens: Int, keys: Int, session: Int }
  type Mutation { login: Int, logout: Int }
  type Subscription { session: Int }
`);
const faultsOf = (query: string) =>
  validate(schema, parse(query), [rootFieldLimits]).map(({ message }) => message);

test.each([
  'mutation { a: login b: login }',
  'mutation { ...F } fragment F on Mutation { a: login ...G } fragment G on Mutation { b: login }',
  'mutation { ... on Mutation { a: login } ... { b: login } }',
])('a mutation of several root fields is refused: %s', (query) => {
  expect(faultsOf(query)).toEqual(['A mutation must have exactly one root field']);
});

test.each(['tokens', 'keys'])('%s of two fragments are refused', (list) => {
  const query = `{ ...F ...G } fragment F on Query { ${list} } fragment G on Query { older: ${list} }`;
  expect(faultsOf(query)).toEqual([`An operation may ask for ${list} once`]);
});

test('a subscription is refused', () => {
  expect(faultsOf('subscription { session }')).toEqual(['There are no subscriptions']);
});

test.each([
  'mutation { ...F ...F } fragment F on Mutation { login }',
  'mutation { ...F } fragment F on Mutation { ...F logout }',
  '{ a: session b: session tokens keys }',
])('%s is within the limits', (query) => {
  expect(faultsOf(query)).toEqual([]);
});

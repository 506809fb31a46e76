import { buildSchema, graphqlSync } from 'graphql';
import { expect, test } from 'vitest';
import { withAdvice } from '../../../server/graphql/requestAdvice.ts';

const schema = buildSchema(`
  enum Outcome { ISSUED FAILED }
  input Filter { from: Int, outcome: Outcome, names: [String!] }
  type Query { count(filter: Filter, ids: [ID!]): Int }
`);
const source = 'query ($filter: Filter, $ids: [ID!]) { count(filter: $filter, ids: $ids) }';

test.each([
  [
    { filter: { from: 'canary' } },
    'Variable "$filter", at "filter.from": send a whole number without quotation marks',
  ],
  [{ filter: { names: [7] } }, 'Variable "$filter", at "filter.names[0]": send text in quotation marks'],
  [
    { filter: { outcome: 'ISUED' } },
    'Variable "$filter", at "filter.outcome": send a value of the type that the schema names',
  ],
  [{ filter: { form: 1 } }, 'Variable "$filter": leave out "form", it has no such field'],
  [
    { filter: 'canary at "x"; Field "canary" is not defined by type ' },
    'Variable "$filter": send a value of type Filter in "variables"',
  ],
  [{ ids: {} }, 'Variable "$ids": send a list, each of it text in quotation marks in "variables"'],
])('of %j a caller is told only how to send it', (variableValues, advice) => {
  const { errors: [error] = [] } = graphqlSync({ schema, source, variableValues });
  expect(withAdvice(error?.message ?? '', error?.nodes)).toBe(advice);
});

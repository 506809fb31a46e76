import { buildSchema, graphqlSync } from 'graphql';
import { expect, test } from 'vitest';
import { withAdvice } from '../../../server/graphql/requestAdvice.ts';

const schema = buildSchema(`
  enum Outcome { ISSUED FAILED }
  input Filter { from: Int, outcome: Outcome, names: [String!] }
  type Query { count(filter: Filter, ids: [ID!]): Int }
`);

function adviceFor(source: string, variableValues?: Record<string, unknown>, operationName?: string) {
  const { errors: [error] = [] } = graphqlSync({ schema, source, variableValues, operationName });
  return withAdvice(error?.message ?? '', error?.nodes);
}

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
])('variables %j are answered with how to send them', (variables, advice) => {
  const source = 'query ($filter: Filter, $ids: [ID!]) { count(filter: $filter, ids: $ids) }';
  expect(adviceFor(source, variables)).toBe(advice);
});

test.each([
  ['{ count(filter: {from: "canary"}) }', 'Int cannot represent non-integer value'],
  ['{ count(filter: {names: [7.25]}) }', 'String cannot represent a non string value'],
  ['{ count(filter: {outcome: "canary"}) }', 'Enum "Outcome" cannot represent non-enum value'],
  ['{ count(filter: "canary") }', 'Expected value of type "Filter"'],
  ['{ count(filter: canary "canary") }', 'Syntax Error: Expected Name, found String'],
])('%s is refused without its value', (source, message) => {
  expect(adviceFor(source)).toBe(message);
});

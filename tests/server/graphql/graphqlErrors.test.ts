import { ApolloServer } from '@apollo/server';
import { expect, test } from 'vitest';
import { formatError, nameRefusedArguments } from '../../../server/graphql/graphqlErrors.ts';

const server = new ApolloServer({
  typeDefs: `
    enum Outcome { ISSUED FAILED }
    input Filter { from: Int, outcome: Outcome, names: [String!] }
    type Query { count(filter: Filter, ids: [ID!]): Int }`,
  formatError,
  plugins: [
    {
      async requestDidStart() {
        return { didEncounterErrors: async (request) => nameRefusedArguments(request.errors, request) };
      },
    },
  ],
});

async function messagesFor(query: string, request: { variables?: object; operationName?: string } = {}) {
  const { body } = await server.executeOperation({ query, ...request });
  return body.kind === 'single' ? body.singleResult.errors?.map(({ message }) => message) : null;
}

const QUERY = 'query ($filter: Filter, $ids: [ID!]) { count(filter: $filter, ids: $ids) }';
const FILTER = 'Variable "$filter": send in "variables" a value of the type Filter';

test.each([
  [{ filter: { from: 'canary', outcome: 'ISUED' } }, [FILTER, FILTER]],
  [{ filter: { canary: 1 } }, [FILTER]],
  [{ ids: {} }, ['Variable "$ids": send in "variables" a value of the type [ID!]']],
])('variables %j are refused by name and type', async (variables, messages) => {
  expect(await messagesFor(QUERY, { variables })).toEqual(messages);
});

test.each([
  [
    'query ($ids: [ID!]!) { count(ids: $ids) }',
    'Variable "$ids": send in "variables" a value of the type [ID!]!',
  ],
  ['{ count(ids: $ids) }', 'Variable "$ids" is not defined.'],
])('%s without its variable is answered with the variable’s name', async (source, message) => {
  expect(await messagesFor(source)).toEqual([message]);
});

const notOfItsType = (column: number) =>
  `The value at line 1, column ${column} is not of its type, which schema.graphql describes`;

test.each([
  ['{ count(filter: {from: "canary"}) }', notOfItsType(24)],
  ['{ count(filter: {names: ["a", 7.25]}) }', notOfItsType(31)],
  ['{ count(filter: {outcome: "canary"}) }', notOfItsType(27)],
  ['{ count(filter: "canary") }', notOfItsType(17)],
  ['query ($ids: [ID!] = 1.5) { count(ids: $ids) }', notOfItsType(22)],
  ['{ count(filter: canary "canary") }', 'Syntax error at line 1, column 24'],
])('%s is refused without its value', async (source, message) => {
  expect(await messagesFor(source)).toEqual([message]);
});

test('the name of an operation that is not there is not repeated', async () => {
  expect(await messagesFor('query A { count }', { operationName: 'canary' })).toEqual([
    'Send as "operationName" the name of an operation of the query',
  ]);
});

import { ApolloServer } from '@apollo/server';
import { expect, test } from 'vitest';
import { explainRefusedInput } from '../../../server/graphql/refusedInput.ts';

const server = new ApolloServer({
  typeDefs: `
    enum Outcome { ISSUED FAILED }
    input Filter { from: Int, outcome: Outcome, names: [String!] }
    type Query { count(filter: Filter, ids: [ID!]): Int }`,
  plugins: [
    {
      async requestDidStart() {
        return { didEncounterErrors: async (request) => explainRefusedInput(request.errors, request) };
      },
    },
  ],
});

async function messagesFor(query: string, request: { variables?: object; operationName?: string } = {}) {
  const { body } = await server.executeOperation({ query, ...request });
  return body.kind === 'single' ? body.singleResult.errors?.map(({ message }) => message) : null;
}

test.each([
  [
    { filter: { from: 'canary', outcome: 'ISUED' } },
    [
      'Variable "$filter", at "filter.from": send a whole number of at most 32 bits, without quotation marks',
      'Variable "$filter", at "filter.outcome": send a value of Outcome',
    ],
  ],
  [{ filter: { names: [7] } }, ['Variable "$filter", at "filter.names.0": send text in quotation marks']],
  [
    { filter: { canary: 1 } },
    ['Variable "$filter": send an object with these fields alone (from, outcome, names)'],
  ],
  [{ ids: {} }, ['Variable "$ids": send a list, each of it text in quotation marks']],
])('variables %j are answered with how to send them', async (variables, messages) => {
  const query = 'query ($filter: Filter, $ids: [ID!]) { count(filter: $filter, ids: $ids) }';
  expect(await messagesFor(query, { variables })).toEqual(messages.map((said) => `${said} in "variables"`));
});

test.each([
  [
    'query ($ids: [ID!]!) { count(ids: $ids) }',
    'Variable "$ids": send a list, each of it text in quotation marks in "variables"',
  ],
  ['{ count(ids: $ids) }', 'Variable "$ids" is not defined.'],
])('%s without its variable is answered with the variable’s name', async (source, message) => {
  expect(await messagesFor(source)).toEqual([message]);
});

test.each([
  [
    '{ count(filter: {from: "canary"}) }',
    'The value of "from": send a whole number of at most 32 bits, without quotation marks',
  ],
  ['{ count(filter: {names: ["a", 7.25]}) }', 'The value of "names": send text in quotation marks'],
  ['{ count(filter: {outcome: "canary"}) }', 'The value of "outcome": send a value of Outcome'],
  [
    '{ count(filter: "canary") }',
    'The value of "filter": send an object with these fields alone (from, outcome, names)',
  ],
  [
    'query ($ids: [ID!] = 1.5) { count(ids: $ids) }',
    'The value of "$ids": send a list, each of it text in quotation marks',
  ],
  ['{ count(filter: canary "canary") }', 'Syntax error at line 1, column 24'],
])('%s is refused without its value', async (source, message) => {
  expect(await messagesFor(source)).toEqual([message]);
});

test('the name of an operation that is not there is not repeated', async () => {
  expect(await messagesFor('query A { count }', { operationName: 'canary' })).toEqual([
    'Send as "operationName" the name of an operation of the query',
  ]);
});

import { auditServer } from 'graphql-http';
import { expect, test } from 'vitest';
import { ACCOUNT, provideTestApp } from '../../support/testApp.ts';

const app = provideTestApp();

test('the audit of GraphQL over HTTP finds nothing', async () => {
  await app.addAccount(ACCOUNT);
  const signedIn = await app.bearer();
  const results = await auditServer({
    url: `${app.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...init.headers, ...signedIn } }),
  });
  await Promise.all(results.map((result) => ('response' in result ? result.response.body?.cancel() : null)));
  const complaints = results.filter(({ status }) => status === 'error' || status === 'warn');
  expect(complaints.map(({ id, name }) => `${id}: ${name}`)).toEqual([]);
  expect(results.length).toBeGreaterThan(50);
});

test.each([
  ['application/json', 200],
  ['application/json, text/plain, */*', 400],
  ['application/graphql-response+json, application/json;q=0.9', 400],
])('a syntax error has for callers that accept %s the status %i', async (accept, status) => {
  const answer = await app.graphql('{', { headers: { accept } });
  expect([answer.status, answer.errors?.[0]?.extensions.code]).toEqual([status, 'GRAPHQL_PARSE_FAILED']);
});

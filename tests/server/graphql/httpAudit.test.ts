import { auditServer } from 'graphql-http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNT, SESSION, startTestApp, type TestApp } from '../../support/testApp.ts';

const AUDITS = 61;

let sandboxOn: TestApp;
let sandboxOff: TestApp;

beforeAll(async () => {
  sandboxOff = await startTestApp();
  sandboxOn = await startTestApp({ sandbox: { credentials: null }, databaseUrl: sandboxOff.databaseUrl });
  await sandboxOff.addAccount(ACCOUNT);
});
afterAll(async () => {
  await sandboxOn.close();
  await sandboxOff.close();
});

/** Runs the audit of GraphQL over HTTP; returns its complaints and the number of audits. */
async function audit(app: TestApp, signedIn: Record<string, string> = {}) {
  const results = await auditServer({
    url: `${app.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...init.headers, ...signedIn } }),
  });
  const complaints = results.filter(({ status }) => status === 'error' || status === 'warn');
  await Promise.all(results.map((result) => ('response' in result ? result.response.body?.cancel() : null)));
  return {
    audits: results.length,
    complaints: complaints.map((result) => `${result.status} ${result.id}: ${result.name}`),
    notices: results
      .filter(({ status }) => status === 'notice')
      .map((result) => `${result.id} ${result.name}`),
  };
}

test('with introspection on, the audit of GraphQL over HTTP has no error and no warning', async () => {
  expect(await audit(sandboxOn)).toMatchObject({ audits: AUDITS, complaints: [] });
});

test('with introspection off, neither for who is signed in', async () => {
  expect(await audit(sandboxOff, await sandboxOff.bearer())).toMatchObject({
    audits: AUDITS,
    complaints: [],
  });
});

test.each([
  ['application/json', 200],
  ['application/json, text/plain, */*', 400],
  ['application/graphql-response+json, application/json;q=0.9', 400],
  ['*/*', 400],
])('a syntax error is told to who accepts %s with status %i', async (accept, status) => {
  const answer = await sandboxOff.graphql('{', { headers: { accept } });
  expect(answer.status).toBe(status);
  expect(answer.errors?.[0]?.extensions.code).toBe('GRAPHQL_PARSE_FAILED');
});

test.each(['*/*', 'application/graphql-response+json, application/json, text/event-stream, multipart/mixed'])(
  'a query by GET is answered when Authorization is sent (accepting %s)',
  async (accept) => {
    const headers = { accept, ...(await sandboxOff.bearer()) };
    const path = `/graphql?${new URLSearchParams({ query: SESSION, variables: '{}' })}`;
    const response = await fetch(sandboxOff.url + path, { headers });
    expect(await response.json()).toMatchObject({ data: { session: { company: ACCOUNT.company } } });
  },
);

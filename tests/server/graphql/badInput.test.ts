import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/paths.ts';
import { ACCOUNT, LOGIN, SESSION, startTestApp, type TestApp } from '../../support/testApp.ts';

const API_PAGE = readFileSync(path.join(PROJECT_ROOT, 'docs', 'api.md'), 'utf8');
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await app.addAccount(ACCOUNT);
});
afterAll(() => app.close());

async function post(body: string, contentType = 'application/json', more: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': contentType, 'apollo-require-preflight': 'yes', ...more },
    body,
  });
  const text = await response.text();
  const { errors } = JSON.parse(text) as { errors: Array<{ message: string; extensions: { code: string } }> };
  return { status: response.status, text, code: errors[0]?.extensions.code, message: errors[0]?.message };
}

const json = (value: unknown) => JSON.stringify(value);

describe('bad input gets a coded error, never a crash or a stack trace', () => {
  test.each([
    ['broken JSON', '{"query": "{ session', 400, 'BAD_REQUEST'],
    ['an empty body', '', 400, 'BAD_REQUEST'],
    ['a batch of operations', json([{ query: SESSION }]), 400, 'BAD_REQUEST'],
    ['no query', '{}', 400, 'BAD_REQUEST'],
    ['a query that is a number', json({ query: 7 }), 400, 'BAD_REQUEST'],
    ['variables that are a string', json({ query: SESSION, variables: 'x' }), 400, 'BAD_REQUEST'],
    ['a polluted prototype', '{"query":"{ session { id } }","__proto__":{"x":1}}', 400, 'BAD_REQUEST'],
    ['broken GraphQL', json({ query: '{ session {' }), 400, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', json({ query: '{ session { password } }' }), 400, 'GRAPHQL_VALIDATION_FAILED'],
    ['a subscription', json({ query: 'subscription { session { id } }' }), 400, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'an operation that is not there',
      json({ query: SESSION, operationName: 'Other' }),
      400,
      'OPERATION_RESOLUTION_FAILURE',
    ],
    [
      'a missing variable',
      json({ query: LOGIN, variables: { username: 'radio@uno' } }),
      400,
      'BAD_USER_INPUT',
    ],
    [
      'a persisted query',
      json({ extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }),
      200,
      'PERSISTED_QUERY_NOT_SUPPORTED',
    ],
  ])('%s', async (_name, body, status, code) => {
    const answer = await post(body);
    expect(answer).toMatchObject({ status, code });
    expect(API_PAGE).toContain(`| \`${code}\` |`);
    expect(answer.text).not.toMatch(/stacktrace|node_modules|\.ts:\d/);
  });

  test('an operation that is not there is told without the name that was sent', async () => {
    const { message } = await post(json({ query: SESSION, operationName: 'Other' }));
    expect(message).toBe('The request holds no operation of the name in operationName');
  });

  test.each([
    ['compressed', 'application/json', { 'content-encoding': 'gzip' }, 'Content-Encoding'],
    ['in UTF-16', 'application/json; charset=utf-16', {}, 'charset'],
    ['in UTF-16, quoted', 'application/json;Charset="UTF-16LE"', {}, 'charset'],
  ])('a body that comes %s is told just that', async (_name, contentType, headers, named) => {
    const answer = await post(json({ query: SESSION }), contentType, headers);
    expect(answer).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
    expect(answer.message).toContain(named);
  });

  test.each([
    ['application/json; charset=UTF-8', {}],
    ['application/json;charset="utf-8"', { 'content-encoding': 'identity' }],
  ])('a body of %s is what is asked for', async (contentType, more) => {
    const headers = { 'content-type': contentType, ...more };
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers,
      body: json({ query: SESSION }),
    });
    expect(await response.json()).toEqual({ data: { session: null } });
  });

  test("a caller's mistakes are not logged as failures of ours", () => {
    expect(app.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });

  test('after all of this the app still answers', async () => {
    expect((await app.login()).data?.login).toMatchObject({ company: 'Radio Uno' });
  });
});

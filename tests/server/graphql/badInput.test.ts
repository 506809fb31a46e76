import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/paths.ts';
import { newKey } from '../../../server/signIn/accountKeys.ts';
import {
  ACCOUNT,
  CREATE_TOKEN,
  LOGIN,
  LOGOUT,
  SESSION,
  startTestApp,
  type TestApp,
} from '../../support/testApp.ts';

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

const JSON_TYPE = { 'content-type': 'application/json' };
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

  const T = 'query T($first: Int) { tokens(first: $first) { edges { cursor } } }';
  const PERSISTED = { persistedQuery: { version: 1, sha256Hash: 'x' } };
  const POST_JSON = 'by POST, as JSON with "content-type: application/json"';
  const RAW = { query: SESSION };
  const get = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
    [`?${new URLSearchParams(parameters)}`, { headers }] as const;
  const postJson = (value: unknown, headers: Record<string, string> = {}, path = '') =>
    [
      path,
      { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: json(value) },
    ] as const;
  const postText = (body: string | FormData | URLSearchParams, headers: Record<string, string> = {}) =>
    ['', { method: 'POST', headers, body }] as const;

  // Sent by curl, Python's requests, urql, graphql-request and Apollo Client when they are first tried.
  test.each<
    [what: string, request: readonly [path: string, init: RequestInit], status: number, advice: string]
  >([
    ['curl -d', postText(new URLSearchParams(RAW)), 415, 'with "content-type: application/json"'],
    ['fetch without a content type', postText(json(RAW)), 415, 'with "content-type: application/json"'],
    ['requests.post(data=str(…))', postText("{'query': '{ session { id } }'}", JSON_TYPE), 400, 'json.dumps'],
    ['requests.post(params=…)', ['', { method: 'POST' }], 400, POST_JSON],
    ['an upload', postText(new FormData()), 415, 'with "content-type: application/json"'],
    ['GraphQL itself', postText(SESSION, { 'content-type': 'application/graphql' }), 415, 'as JSON'],
    ["urql's GET", get(RAW), 400, 'urql: preferGetMethod: false'],
    ['a GET with another scheme', get(RAW, { authorization: 'Basic eDp5' }), 400, 'Bearer <jwt or key>'],
    ['a GET of HTML', get(RAW, { 'content-type': 'text/html' }), 415, POST_JSON],
    ['a mutation by GET', get({ query: 'mutation { logout }' }, JSON_TYPE), 405, 'mutations by POST'],
    ['no body', postText('', JSON_TYPE), 400, 'The body is empty: send {"query"'],
    ['a text', postJson(SESSION), 400, 'a JSON object such as {"query"'],
    ['a list', postJson([RAW]), 400, 'one operation in each request'],
    ['a key "mutation"', postJson({ mutation: 'mutation { logout }' }), 400, 'in "query", also a mutation'],
    ['a parsed query', postJson({ query: { kind: 'Document' } }), 400, 'as text in "query"'],
    ['XML wanted', postJson(RAW, { accept: 'application/xml' }), 406, 'accept: application/json'],
    [
      'two operations',
      postJson({ query: 'query A { __typename } query B { __typename }' }),
      400,
      'name one in',
    ],
    [
      'a number as text',
      postJson({ query: T, variables: { first: '20' } }),
      400,
      'a whole number without quot',
    ],
    ['a fraction', postJson({ query: T, variables: { first: 1.5 } }), 400, '"$first": send a whole number'],
    [
      'a number as a password',
      postJson({ query: LOGIN, variables: { username: 'a', password: 7 } }),
      400,
      '"$password": send text in quotation marks',
    ],
    [
      'a variable left out',
      postJson({ query: LOGIN, variables: { username: 'a' } }),
      400,
      '"$password": send text',
    ],
    [
      'null',
      postJson({ query: LOGIN, variables: { username: 'a', password: null } }),
      400,
      '"$password": send text',
    ],
    [
      'a number as text in the query',
      postJson({ query: '{ tokens(first: "20") { edges { cursor } } }' }),
      400,
      'send a whole number',
    ],
    [
      'a date in the query that is none',
      postJson({ query: '{ tokens(filter: {from: "ayer"}) { nodes { outcome } } }' }),
      400,
      'send an instant such as "2026-11-20T18:30:00Z"',
    ],
    [
      'a number as a date in the query',
      postJson({ query: '{ tokens(filter: {from: 1.5}) { nodes { outcome } } }' }),
      400,
      'send an instant such as',
    ],
    [
      'an outcome as text in the query',
      postJson({ query: '{ tokens(filter: {outcome: "ayer"}) { nodes { outcome } } }' }),
      400,
      'send one of its values without quotation marks',
    ],
    [
      'a text as the filter in the query',
      postJson({ query: '{ tokens(filter: "ayer") { nodes { outcome } } }' }),
      400,
      'Expected value of type "TokenFilter"',
    ],
    ['a mutation without its word', postJson({ query: '{ logout }' }), 400, 'begins with the word mutation'],
    ['the wrong path', postJson(RAW, {}, '/'), 404, 'send operations by POST to /graphql'],
    ['too much', postJson({ query: SESSION, x: 'x'.repeat(16_384) }), 413, '16 KiB at most'],
    [
      'introspection',
      postJson({ query: '{ __schema { description } }' }),
      400,
      'authorization: Bearer <jwt>',
    ],
    [
      'another operationName',
      postJson({ ...RAW, operationName: 'Other' }),
      400,
      'The request holds no operation of the name in operationName',
    ],
  ])('%s is told what to send instead', async (_what, [path, init], status, advice) => {
    const response = await fetch(`${app.url}/graphql${path}`, init);
    const text = await response.text();
    expect([response.status, JSON.parse(text).errors[0].message]).toEqual([
      status,
      expect.stringContaining(advice),
    ]);
    expect(text).not.toMatch(/Did you mean|1\.5|Other"|ayer/);
  });

  const NODES = '{ nodes { id } }';
  test.each<[what: string, argument: string, query: string, variables: Record<string, unknown>]>([
    ['of the wrong type', 'first', T, { first: '20' }],
    ['left out', 'password', LOGIN, { username: 'radio@uno' }],
    ['of another name', 'after', `query ($x: String) { tokens(after: $x) ${NODES} }`, { x: 1 }],
    ['inside an object', 'filter', `query ($x: DateTime) { tokens(filter: {to: $x}) ${NODES} }`, { x: 1 }],
    [
      'in a fragment',
      'first',
      `query ($x: Int) { ...F } fragment F on Query { tokens(first: $x) ${NODES} }`,
      { x: '1' },
    ],
    [
      'null instead of its default',
      'username',
      'mutation ($x: String = "radio@uno") { login(username: $x, password: "secreto") { id } }',
      { x: null },
    ],
    [
      'null for a directive',
      'if',
      'query ($x: Boolean = true) { session @include(if: $x) { id } }',
      { x: null },
    ],
  ])('a variable %s is refused by the name of its argument', async (_what, argument, query, variables) => {
    const { errors } = await app.graphql(query, { variables });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument } }]);
    expect(app.logLines.join('')).not.toContain('"failed"');
  });

  test('a variable of several operations is named after the one that ran', async () => {
    const query = `query A($x: Int) { tokens(first: $x) ${NODES} } query B($x: String) { tokens(after: $x) ${NODES} }`;
    const answer = await post(json({ query, operationName: 'B', variables: { x: 1 } }));
    expect(JSON.parse(answer.text).errors[0].extensions.argument).toBe('after');
  });

  test('clients that try persisted queries read the message that makes them send the query', async () => {
    const { errors } = JSON.parse((await post(json({ extensions: PERSISTED }))).text);
    expect(errors).toEqual([
      {
        message: 'PersistedQueryNotSupported',
        extensions: {
          code: 'PERSISTED_QUERY_NOT_SUPPORTED',
          advice: 'Send the operation as text in "query", and turn persisted queries off',
        },
      },
    ]);
  });

  test('a query is answered though its hash is sent with it', async () => {
    const [path, init] = postJson({ ...RAW, extensions: PERSISTED });
    const response = await fetch(`${app.url}/graphql${path}`, init);
    expect(await response.json()).toEqual({ data: { session: null } });
  });

  test.each([
    ['nothing', undefined, 'NO_CREDENTIALS', 'Sign in first, and send "authorization: Bearer <jwt>"'],
    [
      'the jwt alone',
      'JWT',
      'NO_CREDENTIALS',
      'The word Bearer is missing: send "authorization: Bearer <jwt>"',
    ],
    ['another scheme', 'Token JWT', 'NO_CREDENTIALS', 'another scheme than Bearer'],
    ['Bearer alone', 'Bearer', 'NO_CREDENTIALS', 'nothing but the jwt after the word Bearer'],
    ['Bearer with a colon', 'Bearer: JWT', 'NO_CREDENTIALS', 'nothing but the jwt after the word Bearer'],
    ['quotation marks', 'Bearer "JWT"', 'NO_CREDENTIALS', 'nothing but the jwt after the word Bearer'],
    ['null', 'Bearer null', 'NO_CREDENTIALS', 'nothing but the jwt after the word Bearer'],
    ['a jwt that ended', 'Bearer JWT', 'SESSION_ENDED', 'The session has ended: sign in again'],
    ['a key alone', newKey('TOOL'), 'NO_CREDENTIALS', 'The word Bearer is missing'],
    ["a player's key", `Bearer ${newKey('PLAYER')}`, 'KEY_REFUSED', 'The key is not one for the API'],
    [
      'an unknown key',
      `Bearer ${newKey('TOOL')}`,
      'KEY_REFUSED',
      'bound to another network: ask the operator for another',
    ],
  ])(
    'with %s as authorization, a caller learns the reason and how to send the session',
    async (_what, authorization, reason, advice) => {
      const { jwt } = await app.signIn();
      await app.graphql(LOGOUT, { headers: { authorization: `Bearer ${jwt}` } });
      const headers = authorization === undefined ? {} : { authorization: authorization.replace('JWT', jwt) };
      const { status, errors, text } = await app.graphql(CREATE_TOKEN, { headers });
      expect([status, errors?.[0]]).toMatchObject([
        200,
        { message: expect.stringContaining(advice), extensions: { code: 'UNAUTHENTICATED', reason } },
      ]);
      expect(text).not.toContain(jwt);
      expect(text).not.toContain('aop_');
    },
  );

  test.each([
    '{ sesion { id } }',
    '{ tokens(frist: 1) { edges { cursor } } }',
    '{ session }',
    '{ ... on Qery { session { id } } }',
    'query T($first: Itn) { tokens(first: $first) { edges { cursor } } }',
  ])('a stranger is not told what %s should be called', async (query) => {
    const { errors } = await app.graphql(query);
    expect(errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(JSON.stringify(errors)).not.toContain('Did you mean');
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
    expect(app.logLines.filter((line) => JSON.parse(line).level !== 'info')).toEqual([]);
  });

  test('after all of this the app still answers', async () => {
    expect((await app.login()).data?.login).toMatchObject({ company: 'Radio Uno' });
  });
});

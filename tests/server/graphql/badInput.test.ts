import { beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNT, LOGIN, provideTestApp, SESSION } from '../../support/testApp.ts';

const TOKENS = 'query ($first: Int) { tokens(first: $first) { nodes { id } } }';
const PERSISTED = { persistedQuery: { version: 1, sha256Hash: 'x' } };
const app = provideTestApp();
beforeAll(() => app.addAccount(ACCOUNT));

const post = (body: string, headers: Record<string, string> = {}): [string, RequestInit] => [
  '/graphql',
  { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body },
];
const json = (value: unknown, headers: Record<string, string> = {}) => post(JSON.stringify(value), headers);

async function send([path, init]: [string, RequestInit]) {
  const response = await fetch(app.url + path, init);
  const text = await response.text();
  return { status: response.status, text, ...JSON.parse(text) };
}

test.each<[what: string, request: [string, RequestInit], status: number, code: string, message: string]>([
  ['broken JSON', post('{"query": "{ session'), 400, 'BAD_REQUEST', 'json.dumps'],
  ['an empty body', post(''), 400, 'BAD_REQUEST', 'The body is empty: send {"query"'],
  ['a list of operations', json([{ query: SESSION }]), 400, 'BAD_REQUEST', 'batching'],
  [
    'a form',
    post('query=x', { 'content-type': 'text/plain' }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'application/json',
  ],
  [
    'compression',
    post('{}', { 'content-encoding': 'gzip' }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'Content-Encoding',
  ],
  [
    'another charset',
    post('{}', { 'content-type': 'application/json;Charset="UTF-16LE"' }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'charset',
  ],
  ['too much', json({ query: 'x'.repeat(16_384) }), 413, 'PAYLOAD_TOO_LARGE', '16 KiB at most'],
  [
    'an unknown field',
    json({ query: '{ sesion }' }),
    400,
    'GRAPHQL_VALIDATION_FAILED',
    'Cannot query field "sesion"',
  ],
  [
    'a date in another form',
    json({ query: '{ tokens(filter: {from: "ayer"}) { nodes { id } } }' }),
    400,
    'GRAPHQL_VALIDATION_FAILED',
    'DateTime cannot represent an invalid date-time-string',
  ],
  [
    'another operationName',
    json({ query: 'query A { session { id } }', operationName: 'Other' }),
    400,
    'OPERATION_RESOLUTION_FAILURE',
    'The request holds no operation of the name in operationName',
  ],
])('%s gets a coded error that says what is wrong', async (_what, request, status, code, message) => {
  const answer = await send(request);
  expect(answer).toMatchObject({
    status,
    errors: [{ message: expect.stringContaining(message), extensions: { code } }],
  });
  expect(answer.text).not.toMatch(/stacktrace|node_modules|\.ts:\d|Did you mean|ayer/);
});

test.each(['application/json; charset=UTF-8', 'application/json;charset="us-ascii"'])(
  'a body of %s is read',
  async (type) => {
    const headers = { 'content-type': type, 'content-encoding': 'identity' };
    expect(await send(json({ query: SESSION }, headers))).toMatchObject({ data: { session: null } });
  },
);

describe('a persisted query', () => {
  test('without its text is answered so that clients send the text', async () => {
    expect((await send(json({ extensions: PERSISTED }))).errors).toEqual([
      {
        message: 'PersistedQueryNotSupported',
        extensions: {
          code: 'PERSISTED_QUERY_NOT_SUPPORTED',
          advice: 'Send the operation as text in "query", and turn persisted queries off',
        },
      },
    ]);
  });

  test('with its text is answered', async () => {
    expect(await send(json({ query: SESSION, extensions: PERSISTED }))).toMatchObject({
      data: { session: null },
    });
  });
});

describe('a refused variable', () => {
  test.each<[what: string, argument: string, query: string, variables: Record<string, unknown>]>([
    ['of the wrong type', 'first', TOKENS, { first: '20' }],
    ['left out', 'password', LOGIN, { username: 'radio@uno' }],
    [
      'inside an object',
      'filter',
      'query ($x: DateTime) { tokens(filter: {to: $x}) { nodes { id } } }',
      { x: 1 },
    ],
    [
      'in a fragment',
      'first',
      'query ($x: Int) { ...F } fragment F on Query { tokens(first: $x) { nodes { id } } }',
      { x: '1' },
    ],
    [
      'null instead of its default',
      'username',
      'mutation ($x: String = "radio@uno") { login(username: $x, password: "secreto") { id } }',
      { x: null },
    ],
  ])('%s is reported by the name of its argument', async (_what, argument, query, variables) => {
    const { errors } = await app.graphql(query, { variables });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument } }]);
  });

  test('of several operations is named after the one that ran', async () => {
    const query = `query A($x: Int) { tokens(first: $x) { nodes { id } } }
      query B($x: String) { tokens(after: $x) { nodes { id } } }`;
    const { errors } = await send(json({ query, operationName: 'B', variables: { x: 1 } }));
    expect(errors[0].extensions.argument).toBe('after');
  });
});

test("a caller's mistakes are not logged as failures", () => {
  expect(app.logLines.filter((line) => JSON.parse(line).level !== 'info')).toEqual([]);
});

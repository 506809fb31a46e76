import { beforeAll, expect, test } from 'vitest';
import { ACCOUNT, LOGIN, provideTestApp, SESSION } from '../../support/testApp.ts';

const TOKENS = 'query ($first: Int) { tokens(first: $first) { nodes { id } } }';
const FILTERED = 'query ($x: DateTime) { tokens(filter: {to: $x}) { nodes { id } } }';
const FRAGMENT = 'fragment F on Query { tokens(first: $x) { nodes { id } } }';
const DEFAULTED = 'mutation ($x: String = "radio@uno") { login(username: $x, password: "secreto") { id } }';
const WRONG_DATE = '{ tokens(filter: {from: "ayer"}) { nodes { id } } }';
const JSON_TYPE = 'application/json';
const UTF_16 = `${JSON_TYPE};Charset="UTF-16LE"`;
const PERSISTED = { persistedQuery: { version: 1, sha256Hash: 'x' } };
const SPANISH = { ...ACCOUNT, username: 'radio@dos.example', password: 'contraseña' };
const LOGIN_BODY = JSON.stringify({ query: LOGIN, variables: SPANISH });
const app = provideTestApp();
beforeAll(async () => {
  await app.addAccount(ACCOUNT);
  await app.addAccount(SPANISH);
});

const latin1 = (text: string) => Buffer.from(text, 'latin1');

const post = (body: BodyInit, headers: Record<string, string> = {}): [string, RequestInit] => [
  '/graphql',
  { method: 'POST', headers: { 'content-type': JSON_TYPE, ...headers }, body },
];
const get = (search: string): [string, RequestInit] => [
  `/graphql?${search}`,
  { headers: { 'apollo-require-preflight': '1' } },
];
const json = (value: unknown, headers: Record<string, string> = {}) => post(JSON.stringify(value), headers);

async function send([path, init]: [string, RequestInit]) {
  const response = await fetch(app.url + path, init);
  const text = await response.text();
  return { status: response.status, text, ...JSON.parse(text) };
}

test.each<[outcome: string, message: string, request: [string, RequestInit]]>([
  ['400 BAD_REQUEST', 'json.dumps', post('{"query": "{ session')],
  ['400 BAD_REQUEST', 'The body is empty: send {"query"', post('')],
  ['400 BAD_REQUEST', 'JSON object has no keys', json({})],
  ['400 BAD_REQUEST', 'must contain a non-empty `query`', json({ query: '' })],
  ['400 BAD_REQUEST', 'GraphQL queries must be strings', json({ query: { kind: 'Document' } })],
  ['400 BAD_REQUEST', 'uses "__proto__"', post('{"query": "{ a }", "variables": {"__proto__": {}}}')],
  ['415 UNSUPPORTED_MEDIA_TYPE', 'as JSON', post('query=x', { 'content-type': 'text/plain' })],
  ['415 UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding', post('{}', { 'content-encoding': 'gzip' })],
  ['415 UNSUPPORTED_MEDIA_TYPE', 'charset', post('{}', { 'content-type': UTF_16 })],
  ['400 BAD_REQUEST', 'send it in UTF-8', post(latin1(LOGIN_BODY))],
  ['400 BAD_REQUEST', 'send it in UTF-8', post(Buffer.from(`\ufeff${LOGIN_BODY}`, 'utf16le'))],
  ['400 BAD_REQUEST', 'UTF-8, percent-encoded', get('query={session{id}}&variables={"x":"%F1"}')],
  ['413 PAYLOAD_TOO_LARGE', '16 KiB at most', json({ query: 'x'.repeat(16_384) })],
  ['400 GRAPHQL_VALIDATION_FAILED', 'Cannot query field "sesion"', json({ query: '{ sesion }' })],
  [
    '400 GRAPHQL_VALIDATION_FAILED',
    'The value at line 1, column 25 is not of its type',
    json({ query: WRONG_DATE }),
  ],
])('a bad request gets %s with the advice "%s"', async (outcome, message, request) => {
  const answer = await send(request);
  const [error] = answer.errors;
  expect(`${answer.status} ${error.extensions.code}`).toBe(outcome);
  expect(error.message).toContain(message);
  expect(answer.text).not.toMatch(/stacktrace|node_modules|\.ts:\d|Did you mean|ayer/);
});

test.each<[what: string, request: [string, RequestInit]]>([
  ['in US-ASCII', json({ query: SESSION }, { 'content-type': `${JSON_TYPE};charset="us-ascii"` })],
  ['with an empty operation name', json({ query: SESSION, operationName: '' })],
  ['by GET with an empty operation name', get('query={session{id}}&operationName=')],
  ['that accepts only HTML', json({ query: SESSION }, { accept: 'text/html' })],
  ['after a byte order mark', post(`\ufeff${JSON.stringify({ query: SESSION })}`)],
  ['by GET, with letters outside ASCII', get('query=%7Bsession%7Bid%7D%7D%23%C3%B1+%25zz')],
  ['not encoded', json({ query: SESSION }, { 'content-encoding': 'identity' })],
  ['with the hash of its text', json({ query: SESSION, extensions: PERSISTED })],
])('a query %s is answered', async (_what, request) => {
  expect(await send(request)).toMatchObject({ data: { session: null } });
});

test('a password in Latin-1 is refused, and no attempt is counted', async () => {
  for (let attempt = 0; attempt < 6; attempt += 1) await send(post(latin1(LOGIN_BODY)));
  expect(await app.prisma.attemptCount.count()).toBe(0);
  expect((await send(post(LOGIN_BODY))).data.login.company).toBe(SPANISH.company);
});

test('a hash without its query is answered so that apps send the text', async () => {
  const advice = 'Send the operation as text in "query", and turn persisted queries off';
  const extensions = { code: 'PERSISTED_QUERY_NOT_SUPPORTED', advice };
  const { errors } = await send(json({ extensions: PERSISTED }));
  expect(errors).toEqual([{ message: 'PersistedQueryNotSupported', extensions }]);
});

test.each<[what: string, argument: string, query: string, variables: Record<string, unknown>]>([
  ['of the wrong type', 'first', TOKENS, { first: '20' }],
  ['inside an object', 'filter', FILTERED, { x: 1 }],
  ['in a fragment', 'first', `query ($x: Int) { ...F } ${FRAGMENT}`, { x: '1' }],
  ['null instead of its default', 'username', DEFAULTED, { x: null }],
])(
  'a refused variable %s is reported by the name of its argument',
  async (_what, argument, query, variables) => {
    const { errors } = await app.graphql(query, { variables });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument } }]);
  },
);

test('a refused variable of several operations is named after the one that ran', async () => {
  const query = `query A($x: Int) { tokens(first: $x) { nodes { id } } }
    query B($x: String) { tokens(after: $x) { nodes { id } } }`;
  const { errors } = await send(json({ query, operationName: 'B', variables: { x: 1 } }));
  expect(errors[0].extensions.argument).toBe('after');
});

test("a caller's mistakes are not logged as failures", () => {
  expect(app.logLines.filter((line) => JSON.parse(line).level !== 'info')).toEqual([]);
});

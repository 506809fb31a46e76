import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { TABLES } from '../../../server/database/rights.ts';
import { query } from '../../support/query.ts';
import { CREATE_TOKEN, LOGOUT, providerOf, provideTestApp, SESSION } from '../../support/testApp.ts';
import { runAccountHere } from '../cli/runAccount.ts';
import { claimsOf, headerOf, mint } from '../signIn/forgeries.ts';

const STREAM_TOKEN = 'dG9rZW4tcXVlLW5vLXNlLWd1YXJkYQ==';
const WRONG_PASSWORD = 'adivinanza-equivocada';
const ADDED = { username: 'radio@uno.example', password: 'secreto-del-uno' };
/** Has the same password as another account, and had another one before. */
const IMPORTED = {
  username: 'radio@dos.example',
  formerPassword: 'secreto-anterior',
  password: ADDED.password,
};
const FORMER = 'radio@cuatro.example';
const GENERATED = { username: 'radio@tres.example' };

type Row = { table: string; values: Record<string, unknown> };

const app = provideTestApp({ provider: providerOf(STREAM_TOKEN) });
let rows: Row[];
let jwts: string[];
let deviceJwt: string;
let passwords: string[];
let keys: string[];

beforeAll(async () => {
  passwords = await makeAccounts();
  keys = await makeKeys();
  const { headers, data } = await app.login(ADDED.username, ADDED.password);
  deviceJwt = /audio_device=([^;]+)/.exec(headers.getSetCookie().join())?.[1] ?? '';
  const { jwt } = { jwt: '', ...(data?.login ?? {}) };
  const imported = await app.signIn(IMPORTED.username, IMPORTED.password);
  const signedOut = await app.signIn(ADDED.username, ADDED.password);
  jwts = [jwt, imported.jwt];
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  expect((await app.graphql(CREATE_TOKEN, bearer(jwt))).data?.createToken).toMatchObject({
    token: STREAM_TOKEN,
  });
  await app.graphql(LOGOUT, bearer(signedOut.jwt));
  await app.login(ADDED.username, WRONG_PASSWORD);
  await app.graphql(CREATE_TOKEN, { headers: { cookie: `audio_session=${jwt}; audio_device=${deviceJwt}` } });
  rows = await everyRow();
});

async function run(args: string[], input = ''): Promise<string> {
  const { exitCode, output, remarks } = await runAccountHere(args, { url: app.databaseUrl, input });
  expect(exitCode, remarks).toBe(0);
  return output.trim();
}

async function makeKeys(): Promise<string[]> {
  const addKey = ['add-key', '--username', ADDED.username, '--name'];
  const made = [await run([...addKey, 'playout']), await run([...addKey, 'codec', '--player'])];
  await run(['add', '--username', FORMER, '--company', 'Radio', '--generate']);
  await run(['delete', '--username', FORMER, '--yes']);
  await run(['notice', 'set', 'Aviso']);
  return made.map((output) => output.replace('/live/', ''));
}

/** Makes accounts in every way that there is, and returns all passwords that they ever had. */
async function makeAccounts(): Promise<string[]> {
  const { username, formerPassword, password } = IMPORTED;
  const add = (name: string) => ['add', '--username', name, '--company', 'Radio'];
  await run(add(ADDED.username), `${ADDED.password}\n`);
  const generated = await run(add(GENERATED.username).concat('--generate'));
  await run(
    ['import', '-'],
    JSON.stringify([{ username, id: 'dos', company: 'Radio', password: formerPassword }]),
  );
  await run(['set-password', '--username', username], `${password}\n`);
  await app.signIn(GENERATED.username, generated);
  return [ADDED.password, formerPassword, generated, WRONG_PASSWORD];
}

async function everyRow(): Promise<Row[]> {
  const tables = await query(
    app.databaseUrl,
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const found = tables.map(async ({ name: table }) =>
    (await query(app.databaseUrl, `SELECT * FROM ${table}`)).map((values) => ({ table, values })),
  );
  return (await Promise.all(found)).flat();
}

/** Returns a stored value in every way that a thief may write it. */
function textsOf(value: unknown): string[] {
  if (Buffer.isBuffer(value)) {
    return (['latin1', 'hex', 'base64', 'base64url'] as const).map((encoding) => value.toString(encoding));
  }
  return [value instanceof Date ? value.toISOString() : String(value)];
}

function storedTexts(): string[] {
  return [...new Set(rows.flatMap(({ values }) => Object.values(values).flatMap(textsOf)))];
}

async function isSignedIn(headers: Record<string, string>): Promise<boolean> {
  return (await app.graphql(SESSION, { headers })).data?.session !== null;
}

test('a thief of the database has rows of every table that this release writes to', () => {
  const tables = new Set(rows.map(({ table }) => table));
  expect(tables).toEqual(new Set([...TABLES, '_prisma_migrations'].map((name) => `public.${name}`)));
});

test('a thief of the database finds no secret', () => {
  const secrets = [...passwords, ...jwts, deviceJwt, app.jwtSecret];
  const parts = [...jwts, deviceJwt].flatMap((token) => token.split('.').slice(1));
  const hashes = secrets.flatMap((secret) =>
    ['md5', 'sha1', 'sha256', 'sha512'].flatMap((algorithm) =>
      textsOf(createHash(algorithm).update(secret).digest()),
    ),
  );
  const stored = storedTexts();
  for (const secret of [...secrets, ...parts, ...hashes, ...keys, STREAM_TOKEN]) {
    expect(secret.length).toBeGreaterThan(6);
    expect(stored.filter((text) => text.includes(secret))).toEqual([]);
  }
  for (const hashed of [STREAM_TOKEN, ...keys]) {
    const [hash = ''] = textsOf(createHash('sha256').update(hashed).digest());
    expect(stored).toContain(hash);
  }
});

test('a thief of the database finds passwords only as costly hashes', () => {
  const hashes = rows.flatMap(({ values }) => values.password_hash ?? []).map(String);
  expect(hashes).toHaveLength(3);
  for (const hash of hashes) {
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22,}\$[\w+/]{43,}$/);
  }
  expect(new Set(hashes.flatMap((hash) => hash.split('$').slice(-2))).size).toBe(6);
});

test('a thief of the database gets in with nothing of it', async () => {
  const [jwt = ''] = jwts;
  const unsigned = jwt.split('.').slice(0, 2).join('.');
  for (const text of storedTexts()) {
    const forged = [text, `${unsigned}.${text}`, mint(headerOf(jwt), claimsOf(jwt), text)];
    for (const token of forged.filter((one) => /^[\x21-\x3a\x3c-\x7e]+$/.test(one))) {
      expect([token, await isSignedIn({ authorization: `Bearer ${token}` })]).toEqual([token, false]);
      expect([token, await isSignedIn({ cookie: `audio_session=${token}` })]).toEqual([token, false]);
    }
  }
  expect(await isSignedIn({ authorization: `Bearer ${jwt}` })).toBe(true);
});

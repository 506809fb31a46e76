import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { KNOWN_VARIABLES } from '../../../server/config/config.ts';
import { ambiguousLines, loadDotEnv, misspeltWarnings } from '../../../server/config/dotEnv.ts';
import { PROJECT_ROOT } from '../../../server/config/folders.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

test('a .env file adds variables that are unset or empty', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('SET', 'set');
  vi.stubEnv('UNSET', undefined);
  vi.stubEnv('EMPTY', '');
  loadDotEnv(temporaryFolder({ '.env': '# a note\nSET=file\nUNSET="b"\nEMPTY=c\n' }));
  expect(process.env).toMatchObject({ SET: 'set', UNSET: 'b', EMPTY: 'c' });
});

test('a .env file sets nothing that Node reads only at its start', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('NODE_EXTRA_CA_CERTS', undefined);
  loadDotEnv(temporaryFolder({ '.env': 'NODE_EXTRA_CA_CERTS=/etc/ssl/radio.pem\n' }));
  expect(process.env.NODE_EXTRA_CA_CERTS).toBeUndefined();
});

test('a .env file may be missing', () => {
  expect(() => loadDotEnv(temporaryFolder())).not.toThrow();
});

test.each([
  ['garbage', Uint8Array.of(0x50, 0x4b, 3, 4, 0xff, 0xfe, 0)],
  ['NUL', 'PORT=1\0'],
])('a .env file of %s is refused in one line', (_name, content) => {
  expect(() => loadDotEnv(temporaryFolder({ '.env': content }))).toThrow(
    /^The configuration is wrong:\n {2}- The file \.env .*fix or remove it\.$/,
  );
});

test('a .env file may begin with a byte order mark', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('FIRST', undefined);
  loadDotEnv(temporaryFolder({ '.env': '\uFEFFFIRST=1\n' }));
  expect(process.env.FIRST).toBe('1');
});

test('every line of .env.example is read alike', () => {
  expect(ambiguousLines(committed('.env.example'))).toEqual([]);
});

test.each([
  'TRUST_PROXY=1  ',
  'TRUST_PROXY=1\r\n',
  'JWT_SECRET=abc+/def==',
  'FIREBASE_CONFIG={"apiKey":"a","projectId":"b c"}',
  `FIREBASE_CONFIG='{"apiKey":"\\u00e1"}'`,
  "SUPPORT_CONTACT='guardia@radio.example # noche, $5'",
  'SUPPORT_CONTACT="guardia@radio.example # noche"',
  "SUPPORT_CONTACT=O'Hara: +1 212 555 0100",
])('the line %j is read alike', (line) => {
  expect(ambiguousLines(line)).toEqual([]);
});

test.each([
  'TRUST_PROXY=1 # nginx',
  'TRUST_PROXY="1" # nginx',
  'export TRUST_PROXY=1',
  'TRUST_PROXY = 1',
  'TRUST_PROXY= 1',
  'TRUST_PROXY= ',
  ' TRUST_PROXY=1',
  'TRUST_PROXY=a#b',
  'TRUST_PROXY=a\\',
  'TRUST_PROXY="a\\n"',
  "TRUST_PROXY='a\\'",
  'TRUST_PROXY=`1`',
  'TRUST_PROXY="`1`"',
  'TRUST_PROXY=$1',
  'TRUST_PROXY="$1"',
  `TRUST_PROXY="a"'b'`,
  '\uFEFFTRUST_PROXY=1',
])('the line %j is not read alike', (line) => {
  expect(ambiguousLines(line)).toEqual(['line 1 (TRUST_PROXY)']);
});

test.each(['; a note', ' # a note', ' ', '# a note \\', 'TRUST_PROXY', 'TRUST-PROXY=1', 'JWT_SECRET: x'])(
  'the line %j, which is no variable to all, is not read alike',
  (line) => {
    expect(ambiguousLines(line)).toEqual(['line 1']);
  },
);

test('a secret over several lines is told by their numbers', () => {
  expect(ambiguousLines('PORT=1\nJWT_SECRET="canary\nCANARY="')).toEqual(['line 2 (JWT_SECRET)', 'line 3']);
});

test.each([
  ['TRUSTPROXY', 'TRUST_PROXY'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['PROVIDER_TOKENS_URI', 'PROVIDER_TOKEN_URL'],
  ['HOTS', 'HOST'],
])('%s is nearly %s', (name, meant) => {
  expect(misspeltWarnings({ [name]: 'x' })).toEqual([
    `Unknown variable ${name} is ignored; did you mean ${meant}?`,
  ]);
  expect(misspeltWarnings({ [name]: 'x', [meant]: 'set' })).toEqual([]);
});

test('known variables are not misspelt', () => {
  expect(misspeltWarnings(Object.fromEntries(KNOWN_VARIABLES.map((name) => [name, 'x'])))).toEqual([]);
});

test('variables of other software are not misspelt', () => {
  const names = `HOME HOSTNAME PATH PWD USER PGHOST PGPORT PGUSER PGDATABASE PGPASSWORD NODE_OPTIONS NODE_PATH HTTP_PROXY
    HTTP_PORT SMTP_HOST DB_HOST REDIS_PORT SSH_AUTH_SOCK XDG_DATA_DIRS POSTGRES_PASSWORD POSTGRES_DATABASE PUBLIC_HOST CI`;
  const env = Object.fromEntries(names.split(/\s+/).map((name) => [name, 'x']));
  expect(misspeltWarnings(env)).toEqual([]);
});

test('.env.example has every variable of the server', () => {
  const example = committed('.env.example');
  expect(KNOWN_VARIABLES.filter((name) => !example.includes(`${name}=`))).toEqual([]);
});

test('compose.yaml hands over every variable that containers do not decide', () => {
  const decided = ['NODE_ENV', 'HOST', 'PORT', 'DATA_DIR', 'DATABASE_DIRECT_URL'];
  const compose = committed('compose.yaml');
  expect(KNOWN_VARIABLES.filter((name) => !compose.includes(`\n    ${name}:`)).toSorted()).toEqual(
    decided.toSorted(),
  );
});

function committed(file: string): string {
  return readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
}

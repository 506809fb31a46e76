import { expect, test } from 'vitest';
import { KNOWN_VARIABLES } from '../../../server/config/config.ts';
import { misspeltWarnings } from '../../../server/config/misspelt.ts';

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

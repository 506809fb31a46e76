import { expect, test } from 'vitest';
import { KNOWN_VARIABLES } from '../../../server/config/config.ts';
import { misspeltWarnings } from '../../../server/config/misspelt.ts';

test.each([
  ['TRUST_PROXYS', 'TRUST_PROXY'],
  ['TRUSTPROXY', 'TRUST_PROXY'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['JWT_SECRETS', 'JWT_SECRET'],
  ['JWT_SECRET_PREVIUOS', 'JWT_SECRET_PREVIOUS'],
  ['PROVIDER_TOKENS_URI', 'PROVIDER_TOKEN_URL'],
  ['METRIC_PORT', 'METRICS_PORT'],
  ['NODEENV', 'NODE_ENV'],
  ['DATADIR', 'DATA_DIR'],
  ['HOTS', 'HOST'],
])('%s is nearly %s', (name, meant) => {
  expect(misspeltWarnings({ [name]: 'x' })).toEqual([
    `${name} is no variable of this server and has no effect: is it meant to be ${meant}?`,
  ]);
  expect(misspeltWarnings({ [name]: 'x', [meant]: 'set' })).toEqual([]);
});

test.each(KNOWN_VARIABLES)('%s is known', (name) => {
  expect(misspeltWarnings({ [name]: 'x' })).toEqual([]);
});

test('variables of other software, of the shell and of compose are not taken for misspelt', () => {
  const names = `HOME HOSTNAME HOSTTYPE PATH PWD USER LANG TERM TZ SHELL MAIL PGHOST PGPORT PGUSER PGDATABASE PGPASSWORD
    NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_VERSION NODE_DEBUG npm_config_cache HTTP_PROXY https_proxy NO_PROXY
    HTTP_PORT SMTP_HOST DB_HOST REDIS_PORT AUDIO_PORT SSH_AUTH_SOCK XDG_DATA_DIRS XDG_RUNTIME_DIR INVOCATION_ID
    JOURNAL_STREAM NOTIFY_SOCKET POSTGRES_PASSWORD POSTGRES_DATABASE PUBLIC_HOST DEBUG_COLORS FORCE_COLOR CI`;
  const env = Object.fromEntries(names.split(/\s+/).map((name) => [name, 'x']));
  expect(misspeltWarnings(env)).toEqual([]);
});

import { expect, test } from 'vitest';
import { configurationWarnings } from '../../../server/config/configurationWarnings.ts';

const CERTIFICATES = 'NODE_EXTRA_CA_CERTS=/etc/ssl/radio.pem\n';

test.each<[string, Record<string, string>, string, string]>([
  [
    'a misspelt variable',
    { TRUST_PROXYS: 'canary' },
    '',
    'Unknown variable TRUST_PROXYS is ignored; did you',
  ],
  ['a variable of .env that Node has not read', {}, CERTIFICATES, 'Node reads NODE_EXTRA_CA_CERTS only'],
  ['a value that holds its comment', { SUPPORT_CONTACT: 'canary # noche' }, '', 'SUPPORT_CONTACT holds " #"'],
  [
    'a stream over http',
    { STREAM_BASE_URL: 'HTTP://canary.example/?sign=' },
    '',
    'STREAM_BASE_URL begins with',
  ],
])('%s is a warning without its value', (_what, env, dotEnv, said) => {
  const warnings = configurationWarnings(env, dotEnv);
  expect(warnings).toEqual([expect.stringContaining(said)]);
  expect(warnings.join()).not.toContain('canary');
});

test('what is set as it should be is no warning', () => {
  const env = {
    NODE_EXTRA_CA_CERTS: '/etc/ssl/radio.pem',
    STREAM_BASE_URL: 'https://stream.example/?sign=',
    SUPPORT_CONTACT: 'radio@radio.example#1',
  };
  expect(configurationWarnings(env, CERTIFICATES)).toEqual([]);
});

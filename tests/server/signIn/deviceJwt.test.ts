import { expect, test } from 'vitest';
import { readDeviceJwt, signDeviceJwt } from '../../../server/signIn/deviceJwt.ts';
import { jwtSecrets } from '../../../server/signIn/signedJwt.ts';
import { claimsOf, headerOf, mint } from './forgeries.ts';

const SECRET = 'the secret of this test, of more than 32 bytes';
const SECRETS = jwtSecrets(SECRET);
const NOW = new Date('2026-11-20T18:00:00Z');
const IN_180_DAYS = new Date('2027-05-19T18:00:00Z');
const ACCOUNT = { id: 'uno', credentialsVersion: 2 };

test('a device JWT marks a browser of an account for 180 days', () => {
  const { jwt, expiry } = signDeviceJwt(ACCOUNT, null, SECRETS, NOW);
  expect(expiry).toEqual(IN_180_DAYS);
  const browser = { id: expect.any(String), accountId: 'uno', credentialsVersion: 2 };
  expect(readDeviceJwt(jwt, SECRETS, new Date(IN_180_DAYS.getTime() - 1_000))).toEqual(browser);
  expect(readDeviceJwt(jwt, SECRETS, IN_180_DAYS)).toBeNull();
});

test.each([
  ['of a session', { aud: 'audio-oficial-premium/graphql' }],
  ['without a version', { credentialsVersion: undefined }],
])('a JWT %s marks no browser', (_what, changes) => {
  const { jwt } = signDeviceJwt(ACCOUNT, null, SECRETS, NOW);
  expect(
    readDeviceJwt(mint(headerOf(jwt), { ...claimsOf(jwt), ...changes }, SECRET), SECRETS, NOW),
  ).toBeNull();
});

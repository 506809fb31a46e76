import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  jwtSecrets,
  readDeviceJwt,
  readJwt,
  signDeviceJwt,
  signJwt,
} from '../../../server/signIn/signedJwt.ts';
import { HOUR_MS } from '../../../shared/durations.ts';
import { claimsOf, headerOf, mint } from './forgeries.ts';

const SECRET = 'the secret of this test, of more than 32 bytes';
const OTHER_SECRET = 'another secret of this test, of 32 bytes or more';
const AUDIENCE = 'audio-oficial-premium/test';
const NOW = new Date('2026-11-20T18:00:00Z');
const SECRETS = jwtSecrets(SECRET);
const CLAIMS = {
  id: randomUUID(),
  accountId: 'uno',
  issuedAt: NOW,
  expiry: new Date(NOW.getTime() + HOUR_MS),
};
const JWT = signJwt(AUDIENCE, CLAIMS, SECRETS);
const HEADER = headerOf(JWT);
const PAYLOAD = claimsOf(JWT);

const read = (jwt: string, secrets = SECRETS, now = NOW) => readJwt(AUDIENCE, jwt, secrets, now);
const withHeader = (changes: object) => mint({ ...HEADER, ...changes }, PAYLOAD, SECRET);
const withClaims = (changes: object) => mint(HEADER, { ...PAYLOAD, ...changes }, SECRET);

test('a JWT carries no other claims', () => {
  expect(HEADER).toEqual({ alg: 'HS256', typ: 'JWT' });
  expect(PAYLOAD).toEqual({
    iss: 'audio-oficial-premium',
    aud: AUDIENCE,
    sub: 'uno',
    jti: CLAIMS.id,
    iat: NOW.getTime() / 1_000,
    exp: CLAIMS.expiry.getTime() / 1_000,
  });
});

test('a signed JWT is read until it expires', () => {
  expect(read(JWT)).toEqual(CLAIMS);
  expect(read(mint(HEADER, PAYLOAD, SECRET))).toEqual(CLAIMS);
  expect(read(JWT, SECRETS, new Date(CLAIMS.expiry.getTime() - 1_000))).toEqual(CLAIMS);
  expect(read(JWT, SECRETS, CLAIMS.expiry)).toBeNull();
});

test.each([
  ['unsigned', `${withHeader({ alg: 'none' }).split('.').slice(0, 2).join('.')}.`],
  ['with a header that is not ours', withHeader({ kid: 'else' })],
  ['signed with another secret', mint(HEADER, PAYLOAD, OTHER_SECRET)],
  ['of another issuer', withClaims({ iss: 'else' })],
  ['for several audiences', withClaims({ aud: ['else', AUDIENCE] })],
  ['without an expiry', withClaims({ exp: undefined })],
  ['without its time of issue', withClaims({ iat: undefined })],
  ['without an account', withClaims({ sub: undefined })],
  ['without an id', withClaims({ jti: undefined })],
  ['whose id is not a UUID', withClaims({ jti: `{${CLAIMS.id}}` })],
  ['with a version that is not a number', withClaims({ credentialsVersion: '0' })],
  ['whose content is text', mint(HEADER, 'text', SECRET)],
])('a JWT %s is refused', (_what, jwt) => {
  expect(read(jwt)).toBeNull();
});

test('a new secret signs while the previous one still verifies', () => {
  const rotated = jwtSecrets(OTHER_SECRET, SECRET);
  expect(read(JWT, rotated)).toEqual(CLAIMS);
  const renewed = signJwt(AUDIENCE, CLAIMS, rotated);
  expect(read(renewed, jwtSecrets(OTHER_SECRET))).toEqual(CLAIMS);
  expect(read(renewed, SECRETS)).toBeNull();
});

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

import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { describe, expect, test } from 'vitest';
import { readJwt, signingKeys, signJwt } from '../../../server/signIn/signedJwt.ts';

const AUDIENCE = 'audio-oficial-premium/graphql';
const SECRET = 'a secret of more than thirty-two bytes';
const PREVIOUS = 'p secret of more than thirty-two bytes';
const keys = signingKeys(SECRET);
const now = new Date('2026-11-20T18:00:00Z');
const claims = {
  id: randomUUID(),
  accountId: 'cuenta-1',
  issuedAt: now,
  expiry: new Date('2026-11-21T06:00:00Z'),
};
const signed = signJwt(AUDIENCE, claims, keys);
const seconds = Math.floor(now.getTime() / 1000);
const payload = { sub: 'cuenta-1', iat: seconds, exp: seconds + 60 };
const ours = { issuer: 'audio-oficial-premium', audience: AUDIENCE, jwtid: claims.id };

/** `forgedJwts.test.ts` tries many more forgeries on the running app. */
describe('a JWT', () => {
  test('is read back as it was signed, with the version of the credentials where it has one', () => {
    expect(readJwt(AUDIENCE, signed, keys, now)).toEqual(claims);
    const ofDevice = { ...claims, credentialsVersion: 3 };
    expect(readJwt(AUDIENCE, signJwt(AUDIENCE, ofDevice, keys), keys, now)).toEqual(ofDevice);
  });

  test('carries issuer, audience, expiry and id, and nothing of the account but its id', () => {
    const { header, payload: body } = jwt.decode(signed, { complete: true }) ?? {};
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(body).toEqual({
      iss: ours.issuer,
      aud: ours.audience,
      sub: 'cuenta-1',
      jti: claims.id,
      iat: seconds,
      exp: claims.expiry.getTime() / 1000,
    });
  });

  test.each([
    ['signed with another key', jwt.sign(payload, 'b secret of more than thirty-two bytes', ours)],
    ['signed with HS512', jwt.sign(payload, keys.current, { ...ours, algorithm: 'HS512' })],
    ['unsigned', jwt.sign(payload, null, { ...ours, algorithm: 'none' })],
    ['for another audience', jwt.sign(payload, keys.current, { ...ours, audience: 'else' })],
    ['expired', jwt.sign({ ...payload, exp: seconds - 1 }, keys.current, ours)],
    ['without an id', jwt.sign(payload, keys.current, { issuer: ours.issuer, audience: AUDIENCE })],
  ])('%s is refused', (_name, forged) => {
    expect(readJwt(AUDIENCE, forged, keys, now)).toBeNull();
  });

  test('counts when the previous key signed it, while that one is configured, and is signed with the new one', () => {
    const before = signJwt(AUDIENCE, claims, signingKeys(PREVIOUS));
    const both = signingKeys(SECRET, PREVIOUS);
    expect(readJwt(AUDIENCE, before, both, now)).toEqual(claims);
    expect(readJwt(AUDIENCE, before, keys, now)).toBeNull();
    expect(signJwt(AUDIENCE, claims, both)).toBe(signed);
  });
});

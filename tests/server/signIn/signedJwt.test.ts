import { createHmac, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { describe, expect, test } from 'vitest';
import { readJwt, signingKeys, signJwt } from '../../../server/signIn/signedJwt.ts';

const AUDIENCE = 'audio-oficial-premium/graphql';
const SECRET = 'a secret of more than thirty-two bytes';
const PREVIOUS = 'p secret of more than thirty-two bytes';
const keys = signingKeys(SECRET);
const key = keys.current;
const now = new Date('2026-11-20T18:00:00Z');
const claims = {
  id: randomUUID(),
  accountId: 'cuenta-1',
  issuedAt: now,
  expiry: new Date('2026-11-21T06:00:00Z'),
};
const token = signJwt(AUDIENCE, claims, keys);

const ours = {
  issuer: 'audio-oficial-premium',
  audience: AUDIENCE,
  jwtid: claims.id,
};
const seconds = Math.floor(now.getTime() / 1000);
const payload = { sub: 'cuenta-1', iat: seconds, exp: seconds + 60 };

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

describe('the JWT of a session', () => {
  test('is read back as it was signed', () => {
    expect(readJwt(AUDIENCE, token, keys, now)).toEqual(claims);
  });

  test('carries issuer, audience, expiry and id, and nothing of the account but its id', () => {
    const { header, payload: body } = jwt.decode(token, { complete: true }) ?? {};
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
    ['signed with a previous key that is not configured', jwt.sign(payload, PREVIOUS, ours)],
    ['signed with HS512', jwt.sign(payload, key, { ...ours, algorithm: 'HS512' })],
    ['unsigned', jwt.sign(payload, null, { ...ours, algorithm: 'none' })],
    ['of another issuer', jwt.sign(payload, key, { ...ours, issuer: 'else' })],
    ['for another audience', jwt.sign(payload, key, { ...ours, audience: 'else' })],
    [
      'for us among other audiences',
      jwt.sign({ ...payload, aud: [ours.audience, 'else'] }, key, { issuer: ours.issuer, jwtid: ours.jwtid }),
    ],
    ['whose header says more', jwt.sign(payload, key, { ...ours, keyid: '1' })],
    ['that ran out', jwt.sign({ ...payload, exp: seconds - 1 }, key, ours)],
    ['without an expiry', jwt.sign({ sub: 'cuenta-1', iat: seconds }, key, ours)],
    ['without an account', jwt.sign({ iat: seconds, exp: seconds + 60 }, key, ours)],
    ['without an id', jwt.sign(payload, key, { issuer: ours.issuer, audience: ours.audience })],
    ['with an id that is none of ours', jwt.sign(payload, key, { ...ours, jwtid: "'; DROP TABLE sessions" })],
    [
      'with its payload changed',
      [token.split('.')[0], part({ ...payload, sub: 'otra' }), token.split('.')[2]].join('.'),
    ],
    ['cut short', token.slice(0, -3)],
    ['that is empty', ''],
    ['that is no JWT', 'a.b.c'],
  ])('%s is refused', (_name, forged) => {
    expect(readJwt(AUDIENCE, forged, keys, now)).toBeNull();
  });

  test('counts when the previous key signed it, while that one is configured, and is signed with the new one', () => {
    const before = signJwt(AUDIENCE, claims, signingKeys(PREVIOUS));
    const both = signingKeys(SECRET, PREVIOUS);
    expect(readJwt(AUDIENCE, before, both, now)).toEqual(claims);
    expect(readJwt(AUDIENCE, before, keys, now)).toBeNull();
    expect(signJwt(AUDIENCE, claims, both)).toBe(token);
  });

  test('a header that names none is refused even with a matching signature', () => {
    const body = `${part({ alg: 'none', typ: 'JWT' })}.${token.split('.')[1]}`;
    const signature = createHmac('sha256', key).update(body).digest('base64url');
    expect(readJwt(AUDIENCE, `${body}.${signature}`, keys, now)).toBeNull();
  });
});

import { createHmac, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { describe, expect, test } from 'vitest';
import { readSessionToken, sessionKey, signSessionToken } from '../../server/sessions/sessionToken.ts';

const key = sessionKey('a secret of more than thirty-two bytes');
const now = new Date('2026-11-20T18:00:00Z');
const claims = { sessionId: randomUUID(), accountId: 'cuenta-1', expiry: new Date('2026-11-21T06:00:00Z') };
const token = signSessionToken(claims, key, now);

const ours = {
  issuer: 'audio-oficial-premium',
  audience: 'audio-oficial-premium/graphql',
  jwtid: claims.sessionId,
};
const seconds = Math.floor(now.getTime() / 1000);
const payload = { sub: 'cuenta-1', iat: seconds, exp: seconds + 60 };

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

describe('the JWT of a session', () => {
  test('is read back as it was signed', () => {
    expect(readSessionToken(token, key, now)).toEqual(claims);
  });

  test('carries issuer, audience, expiry and id, and nothing of the account but its id', () => {
    const { header, payload: body } = jwt.decode(token, { complete: true }) ?? {};
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(body).toEqual({
      iss: ours.issuer,
      aud: ours.audience,
      sub: 'cuenta-1',
      jti: claims.sessionId,
      iat: seconds,
      exp: claims.expiry.getTime() / 1000,
    });
  });

  test.each([
    [
      'signed with another key',
      jwt.sign(payload, sessionKey('b secret of more than thirty-two bytes'), ours),
    ],
    ['signed with HS512', jwt.sign(payload, key, { ...ours, algorithm: 'HS512' })],
    ['unsigned', jwt.sign(payload, null, { ...ours, algorithm: 'none' })],
    ['of another issuer', jwt.sign(payload, key, { ...ours, issuer: 'else' })],
    ['for another audience', jwt.sign(payload, key, { ...ours, audience: 'else' })],
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
    expect(readSessionToken(forged, key, now)).toBeNull();
  });

  test('a header that names none is refused even with a matching signature', () => {
    const body = `${part({ alg: 'none', typ: 'JWT' })}.${token.split('.')[1]}`;
    const signature = createHmac('sha256', key).update(body).digest('base64url');
    expect(readSessionToken(`${body}.${signature}`, key, now)).toBeNull();
  });
});

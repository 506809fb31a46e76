import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { createCookies } from '../../../server/signIn/cookies.ts';
import { AUDIENCES, jwtSecrets, signJwt } from '../../../server/signIn/signedJwt.ts';
import { DAY_MS } from '../../../shared/durations.ts';

const SECRETS = jwtSecrets('a secret of the tests, 32 bytes or more');
const OTHER_SECRETS = jwtSecrets('the secret of a second installation here');
const ISSUED = new Date('2026-11-20T12:00:00Z');

function jwt(audience: string, secrets = SECRETS): string {
  const id = '0f0f0f0f-0000-4000-8000-000000000001';
  const expiry = new Date(ISSUED.getTime() + DAY_MS);
  return signJwt(audience, { id, accountId: 'a1', issuedAt: ISSUED, expiry }, secrets);
}

const SESSION = jwt(AUDIENCES.session);
const DEVICE = jwt(AUDIENCES.device);
const FOREIGN = jwt(AUDIENCES.session, OTHER_SECRETS);

const cookies = createCookies(SECRETS);
const request = (cookie: string | undefined, protocol = 'http') =>
  ({ headers: { cookie }, protocol }) as FastifyRequest;

test.each([
  ['there is none', undefined, null],
  ['another program has a cookie named session', `session=theirs; audio_session=${SESSION}`, SESSION],
  ['another program’s cookie has our name', `audio_session=theirs; audio_session=${SESSION}`, SESSION],
  ['another installation’s comes first', `audio_session=${FOREIGN};audio_session=${SESSION}`, SESSION],
  ['a known browser’s JWT comes first', `audio_session=${DEVICE}; audio_session=${SESSION}`, SESSION],
  ['none of several is ours', 'audio_session=one; audio_session=two', 'one'],
])('the session’s cookie is told apart when %s', (_, header, expected) => {
  expect(cookies.session.read(request(header))).toBe(expected);
});

test('the known browser’s cookie is told apart too', () => {
  const header = `audio_device=${SESSION}; audio_device=${DEVICE}; device=theirs`;
  expect(cookies.device.read(request(header))).toBe(DEVICE);
});

test('over https only the __Host- cookie counts', () => {
  const header = `audio_session=${SESSION}; __Host-audio_session=secure`;
  expect(cookies.session.read(request(header, 'https'))).toBe('secure');
});

import type { FastifyRequest } from 'fastify';
import type { TokenClient } from '../../shared/generated/schemaEnums.ts';
import { isKey } from '../keys/key.ts';
import { sessionCookie } from '../signIn/cookies.ts';

/** Not verified yet; at least one of `jwt` and `key` is null. */
export type SentCredentials = { jwt: string | null; key: string | null; client: TokenClient };

const BEARER = /^Bearer\b(?: +(\S+) *$)?/i;

export function sentCredentials(request: FastifyRequest): SentCredentials {
  const { authorization = '' } = request.headers;
  const bearer = BEARER.exec(authorization);
  if (bearer === null) return { jwt: sessionCookie.read(request), key: null, client: 'BROWSER' };
  const [, sent = null] = bearer;
  if (sent !== null && isKey(sent)) return { jwt: null, key: sent, client: 'TOOL' };
  return { jwt: sent, key: null, client: 'TOOL' };
}

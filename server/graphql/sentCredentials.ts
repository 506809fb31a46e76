import type { TokenClient } from '../../shared/generated/schemaEnums.ts';
import { isKey } from '../keys/key.ts';

/** Not verified yet; at least one of `jwt` and `key` is null. */
export type SentCredentials = { jwt: string | null; key: string | null; client: TokenClient };

const BEARER = /^Bearer\b(?: +(\S+) *$)?/i;

export function sentCredentials(authorization: string | undefined, cookie: string | null): SentCredentials {
  const bearer = BEARER.exec(authorization ?? '');
  if (bearer === null) return { jwt: cookie, key: null, client: 'BROWSER' };
  const [, sent = null] = bearer;
  if (sent !== null && isKey(sent)) return { jwt: null, key: sent, client: 'TOOL' };
  return { jwt: sent, key: null, client: 'TOOL' };
}

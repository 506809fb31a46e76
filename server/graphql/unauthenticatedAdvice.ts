import type { UnauthenticatedReason } from '../../shared/generated/schemaEnums.ts';
import { KEY_REFUSED, SESSION_ENDED } from '../accounts/caller.ts';
import { isBearer } from '../http/wantsPage.ts';
import { keyFormFault } from '../keys/key.ts';
import type { SentCredentials } from './sentCredentials.ts';

const HEADER = '"authorization: Bearer <jwt>", with the jwt of login or a key';

export function unauthenticatedAdvice(
  authorization: string | undefined,
  { jwt, key }: Pick<SentCredentials, 'jwt' | 'key'>,
): { reason: UnauthenticatedReason; message: string } {
  if (key !== null) {
    const { reason, message } = KEY_REFUSED;
    return { reason, message: keyFormFault(key, 'TOOL') ?? message };
  }
  if (jwt !== null && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(jwt)) return SESSION_ENDED;
  return { reason: 'NO_CREDENTIALS', message: howToSend(authorization) };
}

function howToSend(authorization: string | undefined): string {
  if (authorization === undefined) return `Sign in first, and send ${HEADER}`;
  if (isBearer(authorization)) return `Send nothing but the jwt after the word Bearer: ${HEADER}`;
  if (authorization.includes(' ')) return `Sign in first; only Bearer is accepted: send ${HEADER}`;
  return `The word Bearer is missing: send ${HEADER}`;
}

import { credentialErrors, USERNAME_ERROR } from '../../shared/credentialRules.ts';
import { verifyPassword } from '../accounts/password.ts';
import { CodedError } from '../errors.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Session, Sessions } from './sessions.ts';

const NEVER_IN_A_USERNAME = /[\p{Cc}\p{Cs}]/u;

/**
 * Starts a session for the account with exactly this username and password (specification, sections 4 and 5).
 * @throws {CodedError} `BAD_USER_INPUT` with the form's message; `INVALID_CREDENTIALS`, the same whether the
 *   username is unknown, the password wrong or the account disabled
 */
export async function signIn(
  { prisma, sessions }: { prisma: PrismaClient; sessions: Sessions },
  username: string,
  password: string,
): Promise<{ session: Session; jwt: string }> {
  const errors = credentialErrors(username, password);
  // PostgreSQL takes neither a NUL nor half a surrogate pair.
  if (NEVER_IN_A_USERNAME.test(username)) errors.username = USERNAME_ERROR;
  const error = errors.username ?? errors.password;
  if (error !== undefined) throw new CodedError('BAD_USER_INPUT', error);

  const account = await prisma.account.findUnique({
    where: { username },
    select: { id: true, company: true, passwordHash: true },
  });
  const matches = await verifyPassword(account?.passwordHash ?? null, password);
  const started = account !== null && matches ? await sessions.start(account) : null;
  if (started === null) throw new CodedError('INVALID_CREDENTIALS', 'Credenciales invalidas');
  return started;
}

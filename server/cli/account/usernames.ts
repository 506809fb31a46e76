import { OperatorError } from '../../errors.ts';
import { Prisma, type PrismaClient } from '../../generated/prisma/client.ts';
import { typingRemarks } from '../arguments/typingRemarks.ts';

const USERNAME_TAKEN = 'there is already an account with this username';

export async function refuseTaken(prisma: PrismaClient, username: string): Promise<void> {
  const stored = await prisma.account.findUnique({ where: { username }, select: { id: true } });
  if (stored !== null) throw new OperatorError(USERNAME_TAKEN);
}

export function throwIfTaken(error: unknown): never {
  const isTaken = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
  throw isTaken ? new OperatorError(USERNAME_TAKEN) : error;
}

/** Names what a partner may type otherwise, and other accounts whose username differs from this one only in case. */
export async function remarksOnUsername(prisma: PrismaClient, username: string): Promise<string[]> {
  const others = await prisma.account.findMany({
    where: { username: { equals: literally(username), mode: 'insensitive' }, NOT: { username } },
    select: { username: true },
  });
  return [
    ...typingRemarks({ username }).map((said) => `The ${said}`),
    ...others.map(
      (other) => `${other.username} is another account: its username differs from ${username} only in case`,
    ),
  ];
}

/** Escapes the wildcards of ILIKE, which Prisma does not for case-insensitive comparisons. */
export function literally(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}

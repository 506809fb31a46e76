import type { PrismaClient } from '../generated/prisma/client.ts';
import { hashPassword, verifyPassword } from '../signIn/password.ts';

/** The account that anyone who starts the demo can sign in with; it is made in the embedded database only. */
export const DEMO_ACCOUNT = {
  username: 'demo@radio.example',
  password: 'demo-premium',
  company: 'Radio Demo',
};

/** Makes the demo account where it is missing. Null when it no longer opens as it was made: an operator changed it. */
export async function ensureDemoAccount(prisma: PrismaClient): Promise<typeof DEMO_ACCOUNT | null> {
  const { username, password, company } = DEMO_ACCOUNT;
  const account = await prisma.account.findUnique({ where: { username } });
  if (account === null) {
    const passwordHash = await hashPassword(password);
    await prisma.account.upsert({
      where: { username },
      create: { username, passwordHash, company },
      update: {},
    });
    return DEMO_ACCOUNT;
  }
  const opens = !account.disabled && (await verifyPassword(account.passwordHash, password));
  return opens ? DEMO_ACCOUNT : null;
}

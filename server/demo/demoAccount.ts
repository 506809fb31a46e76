import { isOpen } from '../accounts/accountState.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { hashPassword, verifyPassword } from '../signIn/password.ts';

export const DEMO_ACCOUNT = {
  username: 'demo@radio.example',
  password: 'demo-premium',
  company: 'Radio Demo',
};

export async function ensureDemoAccount(
  prisma: PrismaClient,
  now: Date,
): Promise<typeof DEMO_ACCOUNT | null> {
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
  const opens = isOpen(account, now) && (await verifyPassword(account.passwordHash, password));
  return opens ? DEMO_ACCOUNT : null;
}

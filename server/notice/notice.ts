import type { Notice, PrismaClient } from '../generated/prisma/client.ts';

export const NOTICE_MAX_LENGTH = 160;

/** Every page asks each half minute, so an answer is kept for a while instead of asking the database each time. */
const KEPT_MS = 10_000;

/** Returns the operator's line to all partners, null for none; up to ten seconds old. */
export type ReadNotice = () => Promise<Notice | null>;

export function createReadNotice(prisma: PrismaClient): ReadNotice {
  let last: { notice: Promise<Notice | null>; at: number } | undefined;

  return () => {
    const at = performance.now();
    if (last === undefined || at - last.at >= KEPT_MS) {
      const notice = currentNotice(prisma);
      last = { notice, at };
      // A failure is shared only by those who asked meanwhile.
      notice.catch(() => {
        last = undefined;
      });
    }
    return last.notice;
  };
}

export async function currentNotice(prisma: Pick<PrismaClient, '$queryRaw'>): Promise<Notice | null> {
  const [notice] = await prisma.$queryRaw<Notice[]>`
    SELECT id, text, since, until FROM notices WHERE until IS NULL OR until > now()`;
  return notice ?? null;
}

export function replaceNotice(prisma: Pick<PrismaClient, '$executeRaw'>, text: string, until: Date | null) {
  return prisma.$executeRaw`
    INSERT INTO notices (text, since, until) VALUES (${text}, clock_timestamp(), ${until})
    ON CONFLICT (id) DO UPDATE
    SET text = excluded.text, since = clock_timestamp(), until = excluded.until`;
}

export async function deleteNotice(prisma: Pick<PrismaClient, '$queryRaw'>): Promise<boolean> {
  const [deleted] = await prisma.$queryRaw<Array<{ wasShown: boolean }>>`
    DELETE FROM notices RETURNING until IS NULL OR until > now() AS "wasShown"`;
  return deleted?.wasShown ?? false;
}

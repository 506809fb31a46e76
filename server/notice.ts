import { type Notice, Prisma, type PrismaClient } from './generated/prisma/client.ts';

export const NOTICE_MAX_LENGTH = 160;

/** Every page asks each half minute, so an answer is kept for a while instead of asking the database each time. */
const KEPT_MS = 10_000;

const ONLY_ROW = { id: 1 };

export type ReadNotice = () => Promise<Notice | null>;

type NoticeTable = Pick<Prisma.TransactionClient, 'notice'>;

export function createReadNotice(prisma: PrismaClient, clock: () => Date): ReadNotice {
  let last: { notice: Promise<Notice | null>; at: number } | undefined;

  return async () => {
    const at = performance.now();
    if (last === undefined || at - last.at >= KEPT_MS) {
      const notice = storedNotice(prisma);
      last = { notice, at };
      // A failure is shared only by those who asked meanwhile.
      notice.catch(() => {
        last = undefined;
      });
    }
    return shownAt(await last.notice, clock());
  };
}

export async function currentNotice(prisma: NoticeTable, now: Date): Promise<Notice | null> {
  return shownAt(await storedNotice(prisma), now);
}

export function replaceNotice(
  prisma: NoticeTable,
  notice: { text: string; since: Date; until: Date | null },
) {
  return prisma.notice.upsert({ where: ONLY_ROW, create: { ...ONLY_ROW, ...notice }, update: notice });
}

/** @returns whether partners saw a notice until now */
export async function deleteNotice(prisma: NoticeTable, now: Date): Promise<boolean> {
  const deleted = await prisma.notice.delete({ where: ONLY_ROW }).catch((error: unknown) => {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2025') return null;
    throw error;
  });
  return shownAt(deleted, now) !== null;
}

async function storedNotice(prisma: NoticeTable): Promise<Notice | null> {
  return prisma.notice.findUnique({ where: ONLY_ROW });
}

function shownAt(notice: Notice | null, now: Date): Notice | null {
  return notice !== null && (notice.until === null || notice.until > now) ? notice : null;
}

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
      const notice = prisma.notice.findFirst();
      last = { notice, at };
      // A failure is shared only by those who asked meanwhile.
      notice.catch(() => {
        last = undefined;
      });
    }
    return last.notice;
  };
}

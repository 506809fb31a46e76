import { newRecordId } from '../../database/recordId.ts';
import type { Prisma } from '../../generated/prisma/client.ts';

/** Writes the single audit line of an import; an import that adds no account has none. */
export type ImportAudit = {
  /** Counts added accounts. Call it in the transaction that adds them. */
  added(transaction: Prisma.TransactionClient, count: number): Promise<void>;
  /** Replaces the provisional count by the final counts. */
  finish(prisma: Prisma.TransactionClient, summary: string): Promise<void>;
};

/** Creates the audit of one import by this operator. */
export function createImportAudit(operator: string): ImportAudit {
  const id = newRecordId(new Date());
  let total = 0;
  return {
    async added(transaction, count) {
      total += count;
      const details = `${total} added`;
      await transaction.auditLine.upsert({
        where: { id },
        create: { id, operator, command: 'import', details },
        update: { details },
      });
    },
    async finish(prisma, details) {
      await prisma.auditLine.updateMany({ where: { id }, data: { details } });
    },
  };
}

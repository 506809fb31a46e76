import { newRecordId } from '../../database/recordId.ts';
import type { Prisma } from '../../generated/prisma/client.ts';

export type ImportAudit = {
  /** Call it in the transaction that adds the accounts. */
  added(transaction: Prisma.TransactionClient, count: number): Promise<void>;
  finish(prisma: Prisma.TransactionClient, summary: string): Promise<void>;
};

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

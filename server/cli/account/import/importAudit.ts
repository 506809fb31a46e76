import { newRecordId } from '../../../database/recordId.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';

export type ImportAudit = ReturnType<typeof createImportAudit>;

export function createImportAudit(operator: string) {
  const id = newRecordId(new Date());
  let total = 0;
  return {
    async added(transaction: Prisma.TransactionClient, count: number): Promise<void> {
      total += count;
      const details = `${total} added`;
      await transaction.auditLine.upsert({
        where: { id },
        create: { id, operator, command: 'import', details },
        update: { details },
      });
    },
    async finish(prisma: Prisma.TransactionClient, details: string): Promise<void> {
      await prisma.auditLine.updateMany({ where: { id }, data: { details } });
    },
  };
}

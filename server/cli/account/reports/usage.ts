import { firstIdAt } from '../../../database/recordId.ts';
import type { PrismaClient } from '../../../generated/prisma/client.ts';
import { accountsOfCompany } from './accountNames.ts';

export type DayOfUsage = {
  company: string | null;
  day: string;
  tokens: number;
  providerFailures: number;
};

/** Raw SQL, because Prisma cannot group by the day of a time. */
export async function readUsage(
  prisma: PrismaClient,
  { since, company }: { since: Date; company: string | null },
): Promise<DayOfUsage[]> {
  if (company !== null) await accountsOfCompany(prisma, company);
  return prisma.$queryRaw<DayOfUsage[]>`
    SELECT
      coalesce(accounts.company, deleted_accounts.company) AS company,
      to_char(token_records.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
      count(*) FILTER (WHERE outcome = 'ISSUED')::integer AS tokens,
      count(*) FILTER (WHERE outcome <> 'ISSUED')::integer AS "providerFailures"
    FROM public.token_records
      LEFT JOIN public.accounts ON accounts.id = token_records.account_id
      LEFT JOIN public.deleted_accounts ON deleted_accounts.id = token_records.account_id
    WHERE token_records.id >= ${firstIdAt(since)}::uuid
      AND (${company}::text IS NULL OR coalesce(accounts.company, deleted_accounts.company) = ${company}::text)
    GROUP BY 1, 2 ORDER BY 1 NULLS LAST, 2`;
}

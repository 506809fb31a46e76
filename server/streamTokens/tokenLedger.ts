import { createHash } from 'node:crypto';
import type { ProviderCode } from '../../shared/errorCodes.ts';
import type { TokenClient } from '../../shared/generated/schemaEnums.ts';
import { isOpen } from '../accounts/accountState.ts';
import { batched } from '../database/batched.ts';
import { newRecordId } from '../database/recordId.ts';
import { CodedError } from '../errors.ts';
import type { Account, PrismaClient } from '../generated/prisma/client.ts';

export type TokenAttempt = {
  callerId: string;
  accountId: string;
  keyName: string | null;
  address: string | null;
  client: TokenClient;
  createdAt: Date;
  outcome: { token: string; expiry: Date } | ProviderCode;
};

export type Recorded = { id: string; isStillValid: boolean };

type FoundCaller = Pick<Account, 'id' | 'disabled' | 'validUntil'> & { expiresAt: Date };

export type TokenLedger = ReturnType<typeof createTokenLedger>;

export function createTokenLedger(prisma: PrismaClient) {
  // Raw SQL: one statement writes the rows and reads the sessions and keys again. With `createMany` the server misses the
  // targets of docs/performance.md.
  const insertAndRecheckCaller = batched(async (attempts: readonly TokenAttempt[]) => {
    const rows = attempts.map(rowOf);
    const callerIds = attempts.map(({ callerId }) => callerId);
    const found = await prisma.$queryRaw<FoundCaller[]>`
      WITH recorded AS (
        INSERT INTO public.token_records
          (id, account_id, created_at, expires_at, token_hash, outcome, address, client, key_name)
        SELECT id, account_id, created_at, expires_at, token_hash, outcome, address, client, key_name
        FROM jsonb_populate_recordset(NULL::public.token_records, ${JSON.stringify(rows)}::jsonb)
      )
      SELECT sessions.id, expires_at AS "expiresAt", disabled, valid_until AS "validUntil"
      FROM public.sessions JOIN public.accounts ON accounts.id = account_id
      WHERE sessions.id = ANY (${callerIds}::uuid[])
        AND sessions.credentials_version = accounts.credentials_version
      UNION ALL
      SELECT account_keys.id, expires_at, disabled, valid_until
      FROM public.account_keys JOIN public.accounts ON accounts.id = account_id
      WHERE account_keys.id = ANY (${callerIds}::uuid[])`;
    const byId = new Map(found.map((caller) => [caller.id, caller]));
    return attempts.map(({ callerId, createdAt }, index) => {
      const caller = byId.get(callerId);
      const isStillValid = caller !== undefined && caller.expiresAt > createdAt && isOpen(caller, createdAt);
      return {
        id: rows[index]?.id ?? '',
        isStillValid,
      };
    });
  });

  return {
    /**
     * Writes one row, in a round trip shared with requests that arrive together.
     * @throws {CodedError} `DATABASE_UNAVAILABLE` when it was not written, or may not have been
     */
    async record(attempt: TokenAttempt): Promise<Recorded> {
      try {
        return await insertAndRecheckCaller(attempt);
      } catch (error) {
        throw new CodedError(
          'DATABASE_UNAVAILABLE',
          'The request cannot be recorded, try again in a moment',
          { cause: error },
        );
      }
    },
  };
}

export function tokenHashOf(token: string) {
  return createHash('sha256').update(token).digest();
}

function rowOf({ accountId, keyName, address, client, createdAt, outcome }: TokenAttempt) {
  const issued = typeof outcome === 'string' ? null : outcome;
  return {
    id: newRecordId(createdAt),
    account_id: accountId,
    created_at: createdAt,
    expires_at: issued?.expiry,
    token_hash: issued && `\\x${tokenHashOf(issued.token).toString('hex')}`,
    outcome: typeof outcome === 'string' ? outcome : 'ISSUED',
    address,
    client,
    key_name: keyName,
  };
}

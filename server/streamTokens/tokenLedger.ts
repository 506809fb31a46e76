import { createHash } from 'node:crypto';
import type { ProviderCode } from '../../shared/errors.ts';
import { batched } from '../database/batched.ts';
import { newRecordId } from '../database/recordId.ts';
import { CodedError } from '../errors.ts';
import type { PrismaClient, TokenClient, TokenRecord } from '../generated/prisma/client.ts';

export type TokenAttempt = {
  accountId: string;
  address: string | null;
  client: TokenClient;
  keyName: string | null;
  createdAt: Date;
  outcome: { token: string; expiry: Date } | ProviderCode;
};

export type TokenLedger = ReturnType<typeof createTokenLedger>;

export function createTokenLedger(prisma: PrismaClient) {
  const insert = batched(async (records: readonly TokenRecord[]) => {
    await prisma.tokenRecord.createMany({ data: [...records] });
    return records;
  });

  return {
    /**
     * Writes one row, in a round trip shared with requests that arrive together. Only the token's SHA-256 is written.
     * @throws {CodedError} `DATABASE_UNAVAILABLE` when it was not written, or may not have been
     */
    async record(attempt: TokenAttempt): Promise<void> {
      try {
        await insert(recordOf(attempt));
      } catch (error) {
        throw new CodedError(
          'DATABASE_UNAVAILABLE',
          'What was asked for cannot be recorded, try again in a moment',
          { cause: error },
        );
      }
    },
  };
}

export function tokenHashOf(token: string) {
  return createHash('sha256').update(token).digest();
}

function recordOf({ outcome, ...attempt }: TokenAttempt): TokenRecord {
  const record = { ...attempt, id: newRecordId(attempt.createdAt) };
  if (typeof outcome === 'string') return { ...record, outcome, expiresAt: null, tokenHash: null };
  const { token, expiry } = outcome;
  return { ...record, outcome: 'ISSUED', expiresAt: expiry, tokenHash: tokenHashOf(token) };
}

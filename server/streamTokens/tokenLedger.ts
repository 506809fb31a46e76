import { createHash } from 'node:crypto';
import { batched } from '../database/batched.ts';
import { newRecordId } from '../database/recordId.ts';
import { CodedError } from '../errors.ts';
import type { PrismaClient, TokenClient, TokenOutcome, TokenRecord } from '../generated/prisma/client.ts';
import { type PageRequest, readTokenPage, type TokenPage } from './ledgerPages.ts';
import { ProviderNotAsked } from './providerFailure.ts';

/** A request for a token that reached the provider. */
export type TokenAttempt = {
  accountId: string;
  /** Null where it is not known. */
  address: string | null;
  client: TokenClient;
  /** The name of the key that asked; null where a session did. */
  keyName: string | null;
  createdAt: Date;
  /** The token, or the code of the provider's failure. */
  outcome: { token: string; expiry: Date } | RecordedFailure;
};

/** Failures of the provider. Any other failure is in the log alone. */
export type RecordedFailure = Exclude<TokenOutcome, 'ISSUED'>;

export type TokenLedger = {
  /**
   * Writes one row, in one round trip shared with requests that arrive together. Of the token only its SHA-256 is written.
   * @throws {CodedError} `DATABASE_UNAVAILABLE` when it was not written, or nobody knows whether it was
   */
  record(attempt: TokenAttempt): Promise<void>;
  /**
   * Returns a page of an account's own rows, newest first, in one round trip.
   * @throws {CodedError} `BAD_USER_INPUT` when there is no such page
   */
  page(accountId: string, request: PageRequest): Promise<TokenPage>;
};

/** The ledger of tokens, kept in the database alone (docs/decisions/0020-token-ledger.md). */
export function createTokenLedger(prisma: PrismaClient): TokenLedger {
  const insert = batched(async (records: readonly TokenRecord[]) => {
    await prisma.tokenRecord.createMany({ data: [...records] });
    return records;
  });

  return {
    async record(attempt) {
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

    page: (accountId, request) => readTokenPage(prisma, accountId, request),
  };
}

/** Whether the request reached the provider, which then gave no token. */
export function isRecordedFailure(error: unknown): error is CodedError & { code: RecordedFailure } {
  return (
    error instanceof CodedError &&
    !(error instanceof ProviderNotAsked) &&
    (error.code === 'PROVIDER_UNAVAILABLE' || error.code === 'PROVIDER_BAD_ANSWER')
  );
}

/** The SHA-256 that is kept of a token. */
export function tokenHashOf(token: string) {
  return createHash('sha256').update(token).digest();
}

function recordOf({ outcome, ...attempt }: TokenAttempt): TokenRecord {
  const record = { ...attempt, id: newRecordId(attempt.createdAt) };
  if (typeof outcome === 'string') return { ...record, outcome, expiresAt: null, tokenHash: null };
  const { token, expiry } = outcome;
  return { ...record, outcome: 'ISSUED', expiresAt: expiry, tokenHash: tokenHashOf(token) };
}

import { createHash } from 'node:crypto';
import type { ProviderCode } from '../../shared/errorCodes.ts';
import type { TokenClient } from '../../shared/generated/schemaEnums.ts';
import { IS_OPEN } from '../accounts/accountState.ts';
import { batched } from '../database/batched.ts';
import { newRecordId } from '../database/recordId.ts';
import { CodedError } from '../errors.ts';
import type { PrismaClient, TokenRecord } from '../generated/prisma/client.ts';

export type TokenAttempt = {
  sessionId: string;
  accountId: string;
  keyName: string | null;
  address: string | null;
  callerKind: TokenClient;
  createdAt: Date;
  outcome: { token: string; expiry: Date } | ProviderCode;
};

export type Recorded = { id: string; isSessionOpen: boolean };

export type TokenLedger = ReturnType<typeof createTokenLedger>;

export function createTokenLedger(prisma: PrismaClient) {
  // Raw SQL: records and looks the sessions up again in one statement, in a fifth of the CPU time of `createMany`.
  const insert = batched(async (attempts: readonly TokenAttempt[]) => {
    const rows = attempts.map(rowOf);
    const sessionIds = attempts.map(({ sessionId }) => sessionId);
    const openSessions = await prisma.$queryRaw<Array<{ id: string }>>`
      WITH recorded AS (
        INSERT INTO token_records
          (id, account_id, created_at, expires_at, token_hash, outcome, address, client, player, key_name)
        SELECT id, account_id, created_at, expires_at, token_hash, outcome, address, client, player, key_name
        FROM jsonb_populate_recordset(NULL::token_records, ${JSON.stringify(rows)}::jsonb)
      )
      SELECT sessions.id FROM sessions JOIN accounts ON accounts.id = account_id
      WHERE sessions.id = ANY (${sessionIds}::uuid[])
        AND ${IS_OPEN}
        AND sessions.credentials_version = accounts.credentials_version
      UNION ALL
      SELECT account_keys.id FROM account_keys JOIN accounts ON accounts.id = account_id
      WHERE account_keys.id = ANY (${sessionIds}::uuid[])
        AND ${IS_OPEN}`;
    const openIds = new Set(openSessions.map(({ id }) => id));
    return rows.map(({ id }, index) => ({ id, isSessionOpen: openIds.has(sessionIds[index] ?? '') }));
  });

  return {
    /**
     * Writes one row, in a round trip shared with requests that arrive together. Only the token's SHA-256 is written.
     * @throws {CodedError} `DATABASE_UNAVAILABLE` when it was not written, or may not have been
     */
    async record(attempt: TokenAttempt): Promise<Recorded> {
      try {
        return await insert(attempt);
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

/** Players are stored as tools (prisma/schema.prisma). */
export function callerKindOf({ client, player }: Pick<TokenRecord, 'client' | 'player'>): TokenClient {
  return player ? 'PLAYER' : client;
}

function rowOf({ accountId, keyName, address, callerKind, createdAt, outcome }: TokenAttempt) {
  const isPlayer = callerKind === 'PLAYER';
  const issued = typeof outcome === 'string' ? null : outcome;
  return {
    id: newRecordId(createdAt),
    account_id: accountId,
    created_at: createdAt,
    expires_at: issued?.expiry,
    token_hash: issued && `\\x${tokenHashOf(issued.token).toString('hex')}`,
    outcome: typeof outcome === 'string' ? outcome : 'ISSUED',
    address,
    client: isPlayer ? 'TOOL' : callerKind,
    player: isPlayer,
    key_name: keyName,
  };
}

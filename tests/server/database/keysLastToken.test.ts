import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/folders.ts';
import { query } from '../../support/query.ts';
import { provideAccountsDatabase } from '../cli/accountProgram.ts';

const MIGRATION = path.join(PROJECT_ROOT, 'prisma/migrations/20261123013000_keys_last_token/migration.sql');
const CREATED = new Date('2026-11-01T12:00:00Z');
const HOUR_MS = 3_600_000;

const database = provideAccountsDatabase();
const hoursLater = (hours: number) => new Date(CREATED.getTime() + hours * HOUR_MS);

test("the migration takes a key's last token for its last use", async () => {
  const { id: accountId } = await database.addAccount({ username: 'radio@uno.example' });
  const { id: otherId } = await database.addAccount({ username: 'radio@dos.example' });
  const key = (name: string, lastUsedAt: Date | null = null) => ({
    ...{ accountId, name, kind: 'TOOL' as const, keyHash: Buffer.from(name), createdAt: CREATED },
    ...{ expiresAt: hoursLater(9), lastUsedAt },
  });
  const record = (keyName: string | null, hours: number, of = accountId) => ({
    ...{
      accountId: of,
      keyName,
      createdAt: hoursLater(hours),
      outcome: 'ISSUED' as const,
      client: 'TOOL' as const,
    },
  });
  await database.prisma.accountKey.createMany({
    data: [key('asked'), key('noted', hoursLater(3)), key('replaced'), key('unused')],
  });
  await database.prisma.tokenRecord.createMany({
    data: [
      record('asked', 2),
      record('asked', 1),
      record('asked', 5, otherId),
      record('noted', 4),
      record('replaced', -1),
      record(null, 6),
    ],
  });
  await query(database.url, await readFile(MIGRATION, 'utf8'));
  const keys = await database.prisma.accountKey.findMany({ orderBy: { name: 'asc' } });
  expect(keys.map(({ name, lastUsedAt }) => [name, lastUsedAt])).toEqual([
    ['asked', hoursLater(2)],
    ['noted', hoursLater(3)],
    ['replaced', null],
    ['unused', null],
  ]);
});

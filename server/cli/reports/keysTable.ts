import type { KeyListing } from '../keys.ts';
import { alignedTable } from './alignedTable.ts';

const HEADINGS = ['NAME', 'KIND', 'STATE', 'CREATED (UTC)', 'EXPIRY (UTC)', 'LAST TOKEN (UTC)'];

/** Formats keys as a table. */
export function keysTable(keys: KeyListing[], now: Date): string {
  const rows = keys.map(({ name, kind, createdAt, expiresAt, lastUsedAt }) => [
    name,
    kind.toLowerCase(),
    expiresAt <= now ? 'expired' : 'active',
    createdAt.toISOString(),
    expiresAt.toISOString(),
    lastUsedAt?.toISOString() ?? '-',
  ]);
  return alignedTable(HEADINGS, rows);
}

import type { KeyListing } from '../keys.ts';
import { alignedTable } from './alignedTable.ts';

const HEADINGS = [
  'USERNAME',
  'NAME',
  'KIND',
  'STATE',
  'CREATED (UTC)',
  'EXPIRY (UTC)',
  'LAST TOKEN (UTC)',
  'FROM',
];

export function keysTable(keys: KeyListing[], now: Date): string {
  const rows = keys.map(({ username, name, kind, createdAt, expiresAt, lastUsedAt, networks }) => [
    username,
    name,
    kind.toLowerCase(),
    expiresAt <= now ? 'expired' : 'active',
    createdAt.toISOString(),
    expiresAt.toISOString(),
    lastUsedAt?.toISOString() ?? '-',
    networks.join(', ') || 'everywhere',
  ]);
  return alignedTable(HEADINGS, rows);
}

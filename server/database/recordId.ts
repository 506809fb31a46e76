import { randomUUID } from 'node:crypto';

export function newRecordId(at: Date): string {
  return idOf(at, randomUUID());
}

export function firstIdAt(at: Date): string {
  return idOf(at, '00000000-0000-0000-8000-000000000000');
}

export function idsBetween(from: Date | null | undefined, to: Date | null | undefined) {
  return { ...(from && { gte: firstIdAt(from) }), ...(to && { lt: firstIdAt(to) }) };
}

/** Makes a UUID of version 7 (RFC 9562, 5.7): milliseconds since 1970, then the digits of a random one. */
function idOf(at: Date, random: string): string {
  const time = Math.max(0, at.getTime()).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}

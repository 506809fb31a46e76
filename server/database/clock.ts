import type pg from 'pg';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/durations.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

const UNITS = [
  [DAY_MS, 'days'],
  [HOUR_MS, 'hours'],
  [MINUTE_MS, 'minutes'],
  [SECOND_MS, 'seconds'],
] as const;

/** Clocks without a time server differ by seconds. */
export const CLOCK_TOLERANCE_MS = MINUTE_MS;

export type ClockComparison = {
  processTime: Date;
  databaseTime: Date;
  /** Positive when the clock of this machine is ahead. */
  differenceMs: number;
  warning: string | null;
};

/** Raw SQL, since Prisma cannot read the database's clock. */
const CLOCK = 'SELECT clock_timestamp() AS now';
type ClockRow = { now: Date };

export async function readDatabaseTime(database: PrismaClient | Pick<pg.Client, 'query'>): Promise<Date> {
  const rows =
    '$queryRawUnsafe' in database
      ? await database.$queryRawUnsafe<ClockRow[]>(CLOCK)
      : (await database.query<ClockRow>(CLOCK)).rows;
  return rows[0]?.now ?? new Date(Number.NaN);
}

export async function compareClocks(
  askDatabase: () => Promise<Date>,
  clock: () => Date,
): Promise<ClockComparison> {
  const before = clock().getTime();
  const atDatabase = await askDatabase();
  const processTime = new Date((before + clock().getTime()) / 2);
  const differenceMs = processTime.getTime() - atDatabase.getTime();
  return { processTime, databaseTime: atDatabase, differenceMs, warning: warningOf(differenceMs) };
}

function warningOf(differenceMs: number): string | null {
  const size = Math.abs(differenceMs);
  const unit = UNITS.find(([ms]) => size >= 2 * ms);
  if (size <= CLOCK_TOLERANCE_MS || unit === undefined) return null;
  const difference = `${Math.round(size / unit[0])} ${unit[1]} ${differenceMs > 0 ? 'ahead of' : 'behind'}`;
  return `the clock of this machine is ${difference} the database's: set both by a time server`;
}

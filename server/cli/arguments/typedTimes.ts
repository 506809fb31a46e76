import { InvalidArgumentError } from 'commander';
import { DAY_MS } from '../../../shared/durations.ts';
import { lastInstant } from '../../../shared/lastInstant.ts';

export const MAX_DAYS = 3_650;

/** The last that Prisma's adapter reads back: it knows years of four digits only. */
const LAST_YEAR = 9999;

export const UNTIL_HELP = 'its last day (UTC), or an instant with its offset';

export function startOfDay(day: string, now: Date): Date {
  const start = /^\d{4}-\d\d-\d\d$/.test(day) ? instant(day) : null;
  if (start === null) throw new InvalidArgumentError('It must be a day, such as 2026-11-20.');
  if (start > now) throw new InvalidArgumentError('It must not be in the future.');
  return start;
}

export function moment(time: string): Date {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)?Z?$/.exec(time) ?? [];
  const at = day === undefined ? null : instant(day, clock);
  if (at === null) {
    throw new InvalidArgumentError(
      'It must be a day or an instant in UTC, such as 2026-11-20 or 2026-11-20T21:03.',
    );
  }
  return at;
}

export function endOfValidity(text: string, now: Date): Date | 'none' {
  if (text === 'none') return text;
  const [, day = '', clock] =
    /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d)?)(Z|[+-]\d\d:\d\d))?$/.exec(text) ?? [];
  const startOfIt = instant(day);
  const end = clock === undefined ? startOfIt && new Date(startOfIt.getTime() + DAY_MS) : new Date(text);
  if (startOfIt === null || end === null || Number.isNaN(end.getTime())) {
    throw new InvalidArgumentError(
      'It must be a day in UTC, such as 2026-12-31, or an instant with its offset, such as 2026-12-31T22:00-05:00.',
    );
  }
  if (end <= now) throw new InvalidArgumentError('It must be in the future.');
  if (end.getUTCFullYear() > LAST_YEAR) {
    throw new InvalidArgumentError('It must end before the year 10000. For no end, write none.');
  }
  return end;
}

/**
 * Formats an end for people: the end of a day by its last second, `2027-06-30T23:59:59Z`. Release 2.0.0 took later ends
 * than the year 9999, which are read from the database as an invalid date.
 */
export function endTime(end: Date): string {
  if (Number.isNaN(end.getTime())) return `after ${LAST_YEAR}`;
  return new Date(lastInstant(end.getTime())).toISOString().replace(/\.\d+Z$/, 'Z');
}

export function wholeDays(text: string): number {
  const days = Number(text);
  if (!/^\d{1,4}$/.test(text) || days < 1 || days > MAX_DAYS) {
    throw new InvalidArgumentError(`It must be a whole number of days, 1 to ${MAX_DAYS}.`);
  }
  return days;
}

export function endFrom(until: Date | 'none' = 'none'): Date | null {
  return until === 'none' ? null : until;
}

export function endText(validUntil: Date | null): string {
  return validUntil === null ? 'without end' : `until ${endTime(validUntil)}`;
}

function instant(day: string, clock = 'T00:00'): Date | null {
  const at = new Date(`${day}${clock}Z`);
  // PostgreSQL has no year 0.
  const exists = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day) && at.getUTCFullYear() > 0;
  return exists ? at : null;
}

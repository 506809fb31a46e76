import { DAY_MS, MINUTE_MS } from '../../shared/durations.ts';
import { zoneMark } from '../browser/timeZone.ts';

const TO_THE_MINUTE = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

export function timeOfDay(epochMs: number): string {
  return new Intl.DateTimeFormat('es', TO_THE_MINUTE).format(epochMs) + zoneMark(epochMs);
}

const RELATIVE = new Intl.RelativeTimeFormat('es', { numeric: 'auto', style: 'short' });

/** Returns when it was, for the end of a sentence: `hace 3 min`, `hoy a las 10:15`, `el 3 dic a las 18:02`. */
export function timeAgo(epochMs: number, now: number): string {
  const minutes = Math.floor((now - epochMs) / MINUTE_MS);
  if (minutes < 1) return RELATIVE.format(0, 'second');
  return minutes < 60 ? RELATIVE.format(-minutes, 'minute') : dayAndTime(epochMs, now);
}

/** Returns the time and its day, a near one by its name: `ayer a las 18:02`, `el 3 dic a las 18:02`. */
export function dayAndTime(epochMs: number, now: number): string {
  return `${dayName(epochMs, now)} a las ${timeOfDay(epochMs)}`;
}

function dayName(epochMs: number, now: number): string {
  const days = Math.round((midnightBefore(epochMs) - midnightBefore(now)) / DAY_MS);
  if (Math.abs(days) <= 1) return RELATIVE.format(days, 'day');
  const isThisYear = new Date(epochMs).getFullYear() === new Date(now).getFullYear();
  const year = isThisYear ? undefined : 'numeric';
  return `el ${new Intl.DateTimeFormat('es', { day: 'numeric', month: 'short', year }).format(epochMs)}`;
}

function midnightBefore(epochMs: number): number {
  return new Date(epochMs).setHours(0, 0, 0, 0);
}

export function timeToTheSecond(epochMs: number): string {
  const format = new Intl.DateTimeFormat('es', { ...TO_THE_MINUTE, second: '2-digit' });
  return format.format(epochMs) + zoneMark(epochMs);
}

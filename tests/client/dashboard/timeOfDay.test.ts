import { expect, onTestFinished, test, vi } from 'vitest';
import { dayAndTime, timeAgo, timeOfDay, timeToTheSecond } from '../../../client/dashboard/timeOfDay.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';

/** In this machine's time zone, as in the partner's browser. */
const at = (day: number, hour: number, minute: number) => new Date(2026, 11, day, hour, minute).getTime();
const NOW = at(5, 20, 57);
const JUST_AFTER_MIDNIGHT = at(5, 0, 10);

test.each([
  ['a moment ago', NOW - 59_999, NOW, 'ahora'],
  ['ahead, by a clock that differs', NOW + 90_000, NOW, 'ahora'],
  ['three minutes ago', at(5, 20, 54), NOW, 'hace 3 min'],
  ['less than an hour ago, though yesterday', at(4, 23, 11), JUST_AFTER_MIDNIGHT, 'hace 59 min'],
  ['an hour ago', at(5, 19, 57), NOW, 'hoy a las 19:57'],
  ['this morning', at(5, 10, 15), NOW, 'hoy a las 10:15'],
  ['yesterday evening', at(4, 18, 2), NOW, 'ayer a las 18:02'],
  ['yesterday, two hours ago', at(4, 22, 0), JUST_AFTER_MIDNIGHT, 'ayer a las 22:00'],
  ['the day before yesterday', at(3, 23, 59), NOW, 'el 3 dic a las 23:59'],
  ['last year', new Date(2025, 11, 3, 9).getTime(), NOW, 'el 3 dic 2025 a las 09:00'],
])('%s reads clearly', (_, epochMs, now, text) => {
  expect(timeAgo(epochMs, now)).toBe(text);
});

test.each([
  ['tonight', at(5, 23, 30), 'hoy a las 23:30'],
  ['tomorrow', at(6, 1, 0), 'mañana a las 01:00'],
  ['after tomorrow', at(7, 0, 0), 'el 7 dic a las 00:00'],
])('an end %s reads clearly', (_, epochMs, text) => {
  expect(dayAndTime(epochMs, NOW)).toBe(text);
});

test('yesterday is the day before, however long it lasted', () => {
  vi.stubEnv('TZ', 'Europe/Madrid');
  onTestFinished(() => void vi.unstubAllEnvs());
  const noonInOctober = (day: number) => new Date(2026, 9, day, 12).getTime();
  expect(noonInOctober(25) - noonInOctober(24)).toBe(25 * HOUR_MS);
  expect(dayAndTime(noonInOctober(24), noonInOctober(25))).toBe('ayer a las 12:00');
  const noonInMarch = (day: number) => new Date(2026, 2, day, 12).getTime();
  expect(dayAndTime(noonInMarch(29), noonInMarch(30))).toBe('ayer a las 12:00');
});

const CHANGES = {
  'America/Santiago': { change: Date.UTC(2026, 3, 5, 3), before: 'UTC-3', after: 'UTC-4' },
  'Europe/Madrid': { change: Date.UTC(2026, 9, 25, 1), before: 'UTC+2', after: 'UTC+1' },
};

test.each(Object.entries(CHANGES))(
  'within an hour of the end of summer time in %s no time reads as another',
  (zone, { change, before, after }) => {
    vi.stubEnv('TZ', zone);
    onTestFinished(() => void vi.unstubAllEnvs());
    const minutes = (count: number) => timeOfDay(change + count * MINUTE_MS);
    expect([-61, -60, -1, 0, 59, 60].map(minutes).map((text) => text.slice(6))).toEqual([
      ...['', before, before],
      ...[after, after, ''],
    ]);
    expect(minutes(-50).slice(0, 5)).toBe(minutes(10).slice(0, 5));
  },
);

test.each([
  ['UTC', '20:05 UTC'],
  ['Etc/UTC', '20:05 UTC'],
  ['Atlantic/Reykjavik', '20:05 UTC'],
  ['Etc/GMT+3', '17:05 UTC-3'],
  ['Europe/Lisbon', '20:05'],
  ['Asia/Kolkata', '01:35'],
])('in the zone %s a time reads %s', (zone, text) => {
  vi.stubEnv('TZ', zone);
  onTestFinished(() => void vi.unstubAllEnvs());
  const epochMs = Date.UTC(2026, 11, 5, 20, 5, 7);
  expect(timeOfDay(epochMs)).toBe(text);
  expect(timeToTheSecond(epochMs)).toBe(text.replace(/^\d\d:\d\d/, '$&:07'));
  expect(dayAndTime(epochMs, epochMs)).toBe(`hoy a las ${text}`);
});

import { HOUR_MS } from '../../shared/durations.ts';

/** Zones without a city of their own; Firefox with `resistFingerprinting` pretends to be in one of them. */
const NAMELESS = /^Etc\/|^Atlantic\/Reykjavik$|^[^/]*$/;

/**
 * Returns what to write behind a time, with a space before it: ` UTC` (or ` UTC+2`) where the browser's zone may not be
 * that of the studio's clock, and within an hour of a change of the clocks, when a time may come twice; otherwise
 * nothing.
 */
export function zoneMark(epochMs: number): string {
  const { timeZone = '' } = Intl.DateTimeFormat().resolvedOptions();
  const isChanging = minutesAhead(epochMs - HOUR_MS) !== minutesAhead(epochMs + HOUR_MS);
  return NAMELESS.test(timeZone) || isChanging ? ` UTC${offsetText(minutesAhead(epochMs))}` : '';
}

function minutesAhead(epochMs: number): number {
  return -new Date(epochMs).getTimezoneOffset();
}

function offsetText(ahead: number): string {
  if (ahead === 0) return '';
  const minutes = Math.abs(ahead);
  const rest = minutes % 60 === 0 ? '' : `:${String(minutes % 60).padStart(2, '0')}`;
  return `${ahead > 0 ? '+' : '-'}${Math.floor(minutes / 60)}${rest}`;
}

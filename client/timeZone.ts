/** Zones without a city of their own; Firefox with `resistFingerprinting` pretends to be in one of them. */
const NAMELESS = /^Etc\/|^Atlantic\/Reykjavik$|^[^/]*$/;

/**
 * Returns what to write behind a time, with a space before it: ` UTC` (or ` UTC+2`) where the browser's zone may not be
 * that of the studio's clock, otherwise nothing.
 */
export function zoneMark(epochMs: number): string {
  const { timeZone = '' } = Intl.DateTimeFormat().resolvedOptions();
  return NAMELESS.test(timeZone) ? ` UTC${offsetText(-new Date(epochMs).getTimezoneOffset())}` : '';
}

function offsetText(minutesAhead: number): string {
  if (minutesAhead === 0) return '';
  const minutes = Math.abs(minutesAhead);
  const rest = minutes % 60 === 0 ? '' : `:${String(minutes % 60).padStart(2, '0')}`;
  return `${minutesAhead > 0 ? '+' : '-'}${Math.floor(minutes / 60)}${rest}`;
}

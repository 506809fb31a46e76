/** Returns a time of day in hours and minutes, rounded down, by this browser's time zone unless another is given. */
export function timeOfDay(epochMs: number, timeZone?: string): string {
  const format = new Intl.DateTimeFormat('es', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  });
  return format.format(epochMs);
}

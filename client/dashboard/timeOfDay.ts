export function timeOfDay(epochMs: number, timeZone?: string): string {
  return clock(timeZone).format(epochMs);
}

/** Returns a time of day with its seconds, for what may happen twice in a minute. */
export function timeToTheSecond(epochMs: number, timeZone?: string): string {
  return clock(timeZone, '2-digit').format(epochMs);
}

function clock(timeZone: string | undefined, second?: '2-digit'): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('es', {
    hour: '2-digit',
    minute: '2-digit',
    second,
    hourCycle: 'h23',
    timeZone,
  });
}

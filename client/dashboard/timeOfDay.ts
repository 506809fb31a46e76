const TO_THE_MINUTE = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** Returns a time of day in hours and minutes, rounded down, by this browser's time zone. */
export function timeOfDay(epochMs: number): string {
  return new Intl.DateTimeFormat('es', TO_THE_MINUTE).format(epochMs);
}

export function timeToTheSecond(epochMs: number): string {
  return new Intl.DateTimeFormat('es', { ...TO_THE_MINUTE, second: '2-digit' }).format(epochMs);
}

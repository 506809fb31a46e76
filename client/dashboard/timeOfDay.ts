const TO_THE_MINUTE = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

export function timeOfDay(epochMs: number): string {
  return new Intl.DateTimeFormat('es', TO_THE_MINUTE).format(epochMs);
}

export function timeToTheSecond(epochMs: number): string {
  return new Intl.DateTimeFormat('es', { ...TO_THE_MINUTE, second: '2-digit' }).format(epochMs);
}

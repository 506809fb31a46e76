const LONGEST_WAIT_IN_SECONDS = 90;

export function waitTime(seconds: number): { count: number; unit: 'second' | 'minute' } {
  const wholeSeconds = Math.max(1, Math.ceil(seconds));
  if (wholeSeconds <= LONGEST_WAIT_IN_SECONDS) return { count: wholeSeconds, unit: 'second' };
  return { count: Math.ceil(wholeSeconds / 60), unit: 'minute' };
}

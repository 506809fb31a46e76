const SECONDS_TOLD_AS_SECONDS = 90;

/** Returns how a wait is told to people: in seconds up to 90, then in minutes; rounded up, and never 0. */
export function waitTime(seconds: number): { count: number; unit: 'second' | 'minute' } {
  const wholeSeconds = Math.max(1, Math.ceil(seconds));
  if (wholeSeconds <= SECONDS_TOLD_AS_SECONDS) return { count: wholeSeconds, unit: 'second' };
  return { count: Math.ceil(wholeSeconds / 60), unit: 'minute' };
}

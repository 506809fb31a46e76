import { waitTime } from '../../shared/waitTime.ts';
import type { Failure } from '../page/failure.ts';
import { texts } from '../texts.ts';

export function failureText({ code, retryAfterSeconds }: Failure, tooMany: string): string {
  if (code !== 'RATE_LIMITED' && code !== 'BUSY') return texts.failures[code];
  const reason = code === 'BUSY' ? texts.failures.BUSY : tooMany;
  return `${reason} ${texts.retryIn(waitText(retryAfterSeconds))}`;
}

function waitText(seconds: number | undefined): string {
  if (seconds === undefined) return texts.someMinutes;
  const { count, unit } = waitTime(seconds);
  return unit === 'second' ? texts.seconds(count) : texts.minutes(count);
}

import { backoffMs } from '../../api/backoff.ts';

/** A small file: the answer's date is what counts. */
const ADDRESS = '/robots.txt';
/** A connection from before the sleep may never answer. */
const ANSWER_TIMEOUT_MS = 5_000;
/** After a sleep the network takes a while to come back. */
const ATTEMPTS = 5;
const LONGEST_WAIT_MS = 15_000;

export async function serverAheadMs(): Promise<number | null> {
  const controller = new AbortController();
  const timeout = setTimeout(() => controller.abort(), ANSWER_TIMEOUT_MS);
  try {
    const { headers } = await fetch(ADDRESS, {
      method: 'HEAD',
      cache: 'no-store',
      signal: controller.signal,
    });
    const aheadMs = Date.parse(headers.get('date') ?? '') - Date.now();
    return Number.isNaN(aheadMs) ? null : aheadMs;
  } catch {
    return null;
  } finally {
    clearTimeout(timeout);
  }
}

/**
 * Tells a sleep from a clock that was set: returns whether our server's clock advanced as far as the browser's, instead
 * of staying `byMs` behind it. False without an answer.
 */
export async function wentOnWithServer(aheadBeforeMs: number | null, byMs: number): Promise<boolean> {
  if (aheadBeforeMs === null) return false;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const aheadMs = await serverAheadMs();
    if (aheadMs !== null) return Math.abs(aheadMs - aheadBeforeMs) < byMs / 2;
    await new Promise((resolve) => setTimeout(resolve, backoffMs(attempt, LONGEST_WAIT_MS)));
  }
  return false;
}

/** The provider's answer about a stream that does not open. `likely`: there is an answer, but the browser may not read it. */
export type Refusal = 'certain' | 'likely' | 'none';

const ANSWER_TIMEOUT_MS = 5_000;
const ANSWER_NOT_READABLE = 0;
const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;

/** Asks why a stream does not open, since an audio element tells no HTTP status. A page may read it only with CORS. */
export async function askStream(address: string): Promise<Refusal> {
  return refusalOf((await statusAt(address, 'cors')) ?? (await statusAt(address, 'no-cors')));
}

/** @param status of the answer, 0 for one that may not be read, null for no answer */
export function refusalOf(status: number | null): Refusal {
  if (status === ANSWER_NOT_READABLE) return 'likely';
  if (status === null || status === REQUEST_TIMEOUT || status === TOO_MANY_REQUESTS) return 'none';
  return status >= 400 && status < 500 ? 'certain' : 'none';
}

async function statusAt(address: string, mode: RequestMode): Promise<number | null> {
  const controller = new AbortController();
  const timeout = setTimeout(() => controller.abort(), ANSWER_TIMEOUT_MS);
  try {
    const { status } = await fetch(address, { mode, cache: 'no-store', signal: controller.signal });
    return status;
  } catch {
    return null;
  } finally {
    clearTimeout(timeout);
    // Otherwise the browser would keep downloading a stream that opens after all.
    controller.abort();
  }
}

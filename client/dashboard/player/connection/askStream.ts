/**
 * The provider's answer about a stream that does not open. `refused`: it does not accept the token; `unreadable`: the
 * browser may not read the answer; `notAudio`: a page, say.
 */
export type StreamAnswer = 'refused' | 'unreadable' | 'fault' | 'notAudio' | 'none';

const ANSWER_TIMEOUT_MS = 5_000;
const NOT_READABLE = 0;
/** Unauthorized, forbidden, gone: what a provider says about a token. Everything else may pass. */
const REFUSALS = [401, 403, 410];

/** Asks why a stream does not open, since an audio element tells no HTTP status. A page may read it only with CORS. */
export async function askStream(address: string): Promise<StreamAnswer> {
  return answerOf((await statusAt(address, 'cors')) ?? (await statusAt(address, 'no-cors')));
}

export function answerOf(status: number | null): StreamAnswer {
  if (status === null) return 'none';
  if (status === NOT_READABLE) return 'unreadable';
  if (status < 400) return 'notAudio';
  return REFUSALS.includes(status) ? 'refused' : 'fault';
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

import type { StreamAnswer } from '../../page/player/streamAnswer.ts';

const ANSWER_TIMEOUT_MS = 5_000;
const NOT_READABLE = 0;
/** Unauthorized, forbidden, gone: the provider refuses the token. Any other failure may be temporary. */
const REFUSALS = [401, 403, 410];

/** Asks why a stream does not open: an audio element gives no HTTP status, and a page may read it only with CORS. */
export async function askStream(address: string): Promise<StreamAnswer> {
  const asked = { cache: 'no-store' } as const;
  const answer = answerOf(
    (await answerHead(address, { ...asked, mode: 'cors' })) ??
      (await answerHead(address, { ...asked, mode: 'no-cors' })),
  );
  return answer === 'none' && (await isLocalNetworkDenied()) ? 'notPermitted' : answer;
}

/** Makes the browser replace its cached copy of a stream, by asking as an element with this `crossOrigin` does. */
export async function forgetCached(address: string, crossOrigin: string | null): Promise<void> {
  const asElement =
    crossOrigin === null
      ? ({ mode: 'no-cors', credentials: 'include' } as const)
      : ({ mode: 'cors', credentials: 'same-origin' } as const);
  await answerHead(address, { ...asElement, cache: 'reload' });
}

/** Chromium names the permission since 142; it split it in two later, and keeps the first name. */
const LOCAL_NETWORK_PERMISSIONS = ['local-network-access', 'local-network', 'loopback-network'];

/** False where the browser knows no such permission. */
async function isLocalNetworkDenied(): Promise<boolean> {
  const isDenied = async (name: string) => {
    try {
      return (await navigator.permissions.query({ name: name as PermissionName })).state === 'denied';
    } catch {
      return false;
    }
  };
  return (await Promise.all(LOCAL_NETWORK_PERMISSIONS.map(isDenied))).includes(true);
}

type AnswerHead = { status: number; contentType: string | null };

export function answerOf(head: AnswerHead | null): StreamAnswer {
  if (head === null) return 'none';
  const { status, contentType } = head;
  if (status === NOT_READABLE) return 'unreadable';
  if (status < 400) return /^(audio\/|application\/ogg)/i.test(contentType ?? '') ? 'audio' : 'notAudio';
  return REFUSALS.includes(status) ? 'refused' : 'fault';
}

/** Asks by GET, as players do, and ends the request once the headers are there. */
async function answerHead(address: string, how: RequestInit): Promise<AnswerHead | null> {
  const controller = new AbortController();
  const timeout = setTimeout(() => controller.abort(), ANSWER_TIMEOUT_MS);
  try {
    const { status, headers } = await fetch(address, { ...how, signal: controller.signal });
    return { status, contentType: headers.get('content-type') };
  } catch {
    return null;
  } finally {
    clearTimeout(timeout);
    // Otherwise the browser would keep downloading a stream that opens after all.
    controller.abort();
  }
}

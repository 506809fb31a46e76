import { LIVE_PATH } from '../../shared/paths.ts';
import { playerKeyAt } from '../keys/key.ts';

const LIVE_URL = /^(?:https?:\/\/[^/?#]*)?\/+live\/+(.*)$/s;

/**
 * Writes a request for a player's address in the one way in which the rest of the server knows it. Players and codecs
 * append `/`, `;stream.mp3`, a blank and the like to what they are given, or join it with a second slash: what follows
 * the key is cut, and slashes around `live` count as one. Any other path, and one without a key, stays as it is.
 * @param url - a request's target, as it was sent
 */
export function plainLiveUrl(url: string): string {
  const sent = LIVE_URL.exec(url)?.[1];
  if (sent === undefined) return url;
  return LIVE_PATH + (playerKeyAt(decodeAscii(sent)) ?? sent);
}

/** Unlike `decodeURIComponent` it reads what stands before a broken escape. */
function decodeAscii(text: string): string {
  return text.replace(/%([0-7][\da-f])/gi, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

import { LIVE_PATH } from '../../shared/paths.ts';
import { playerKeyAt } from '../keys/key.ts';

const LIVE_URL = /^(?:https?:\/\/[^/?#]*)?\/+live\/+(.*)$/s;

/**
 * Normalizes the address of a player's request to `/live/KEY`; leaves any other as it is. Players and codecs append
 * `/`, `;stream.mp3`, a blank and the like to the address that they were given, or join it with a second slash.
 * @param url - a request's target, as it was sent
 */
export function plainLiveUrl(url: string): string {
  const sent = LIVE_URL.exec(url)?.[1];
  if (sent === undefined) return url;
  return LIVE_PATH + (playerKeyAt(decodeAscii(sent)) ?? sent);
}

/** Also reads what stands before a broken escape, at which `decodeURIComponent` throws. */
function decodeAscii(text: string): string {
  return text.replace(/%([0-7][\da-f])/gi, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

import { timeToTheSecond } from '../timeOfDay.ts';

/**
 * Names the file after its token's expiry: of two files with one name, the browser would rename the newer, and a
 * program would open the older.
 * @param expiresAt - of the token, in epoch milliseconds
 */
export function m3uFile(address: string, title: string, expiresAt: number) {
  const content = ['#EXTM3U', `#EXTINF:-1,${title}`, address, ''].join('\r\n');
  const href = `data:audio/x-mpegurl;charset=utf-8,${encodeURIComponent(content)}`;
  // Windows allows no colon in a name.
  const until = timeToTheSecond(expiresAt).replace(/[^\dA-Z]+/g, '-');
  return { name: `audio-oficial-hasta-${until}.m3u`, href };
}

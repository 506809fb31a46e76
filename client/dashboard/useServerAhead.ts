import { useMemo } from 'react';

/**
 * Returns by how many milliseconds the server's clock is ahead of this computer's, which may be wrong by hours; 0 until
 * an answer has told the time.
 * @param serverTime - of the last answer; compared with the clock in the rendering in which it first appears
 */
export function useServerAhead(serverTime: string | undefined): number {
  return useMemo(() => (serverTime === undefined ? 0 : Date.parse(serverTime) - Date.now()), [serverTime]);
}

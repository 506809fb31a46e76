import { useLayoutEffect, useState } from 'react';

/**
 * Returns by how many milliseconds the server's clock is ahead of this computer's, which may be wrong by hours; 0 until
 * an answer has told the time.
 * @param serverTime - of the last answer; compared with the clock when it arrives
 */
export function useServerAhead(serverTime: string | undefined): number {
  const [aheadMs, setAheadMs] = useState(0);
  useLayoutEffect(
    () => setAheadMs(serverTime === undefined ? 0 : Date.parse(serverTime) - Date.now()),
    [serverTime],
  );
  return aheadMs;
}

import { useState } from 'react';
import { type StoredToken, useStoredToken } from '../../session/localRecords.ts';
import { tokenState } from './tokenState.ts';

/**
 * Returns the tokens that were replaced before they expired, the latest first: another encoder may still need one. They
 * are kept in memory only, and the expired ones are dropped when another is added.
 */
export function useEarlierTokens(): StoredToken[] {
  const stored = useStoredToken();
  const [last, setLast] = useState(stored);
  const [earlier, setEarlier] = useState<StoredToken[]>([]);

  if (stored !== last) {
    setLast(stored);
    const isReplaced = last !== null && stored !== null && stored.token !== last.token;
    if (isReplaced) setEarlier([last, ...earlier].filter(isActive));
  }
  return earlier;
}

function isActive(token: StoredToken): boolean {
  return tokenState(token, Date.now()).kind === 'active';
}

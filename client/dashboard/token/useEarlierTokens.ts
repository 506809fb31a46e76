import { useState } from 'react';
import { type StoredToken, useStoredToken } from '../../session/localRecords.ts';
import { tokenState } from './tokenState.ts';

/**
 * Returns the tokens that were replaced before they expired, the latest first, since another encoder may still need one. Keeps them in
 * memory only: a sign-out or a reload forgets them. Drops the expired ones when a further one is added.
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

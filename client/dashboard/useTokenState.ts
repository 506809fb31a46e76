import { useEffect, useMemo } from 'react';
import type { StoredToken } from '../page/records.ts';
import { type TokenState, tokenState } from '../page/tokenState.ts';
import { usePage } from '../usePage.ts';
import { useEverySecond } from './useEverySecond.ts';
import { stageOf, type TokenStage } from './view.ts';

/** Renders every second. */
export function useTokenState(stored: StoredToken | null): TokenState {
  const second = useEverySecond(stored?.expiresAt ?? 0);
  return useMemo(() => tokenState(stored, second), [stored, second]);
}

/** Renders when the stage changes. Tells the page of an expiry, even if only because the clock was changed. */
export function useTokenStage(stored: StoredToken | null): TokenStage {
  const page = usePage();
  const stage = useEverySecond(stored?.expiresAt ?? 0, (second) => stageOf(tokenState(stored, second)));

  useEffect(() => {
    if (stage === 'expired') page.send({ type: 'timePassed' });
  }, [page, stage]);

  return stage;
}

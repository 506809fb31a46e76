import { useEffect, useState } from 'react';
import type { Failure } from './failure.ts';

/** Why the last attempt failed, if it did. That there was no network is said only until there is one. */
export function useFailure(initial?: Failure) {
  const [failure, setFailure] = useState(initial);
  const lacksNetwork = failure?.code === 'NO_NETWORK';

  useEffect(() => {
    if (!lacksNetwork) return;
    const forget = () => setFailure(undefined);
    if (navigator.onLine) forget();
    window.addEventListener('online', forget);
    return () => window.removeEventListener('online', forget);
  }, [lacksNetwork]);

  return [failure, setFailure] as const;
}

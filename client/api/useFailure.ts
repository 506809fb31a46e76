import { useEffect, useState } from 'react';
import type { Failure } from './failure.ts';

/** Keeps why the last attempt failed. `NO_NETWORK` is forgotten as soon as there is a network. */
export function useFailure(initial?: () => Failure | undefined) {
  const [failure, setFailure] = useState<Failure | undefined>(initial);
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

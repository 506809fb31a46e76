import { useState } from 'react';
import type { Failure } from '../page/failure.ts';
import { useOffline } from './offline.ts';

export function useFailure(initial?: () => Failure | undefined) {
  const [failure, setFailure] = useState<Failure | undefined>(initial);
  const offline = useOffline();
  if (failure?.code === 'NO_NETWORK' && !offline) setFailure(undefined);
  return [failure, setFailure] as const;
}

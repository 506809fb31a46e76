import { useState } from 'react';
import type { Failure } from '../page/failure.ts';
import { useOffline } from './offline.ts';

/** A failure for want of a network is not shown once the network is back. */
export function useFailure() {
  const [failure, setFailure] = useState<Failure>();
  const offline = useOffline();
  return [failure?.code === 'NO_NETWORK' && !offline ? undefined : failure, setFailure] as const;
}

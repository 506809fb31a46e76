import { useState } from 'react';
import type { Failure } from '../page/failure.ts';
import { useOffline } from './offline.ts';

export function useFailure() {
  const [failure, setFailure] = useState<Failure>();
  const offline = useOffline();
  return [failure?.code === 'NO_NETWORK' && !offline ? undefined : failure, setFailure] as const;
}

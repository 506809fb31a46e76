import { useEffect, useState } from 'react';
import { SECOND_MS } from '../../shared/durations.ts';
import type { Failure } from '../page/failure.ts';
import { texts } from '../texts.ts';
import { failureText } from './failureText.ts';
import { SupportContact } from './SupportContact.tsx';

type FailureMessageProps = {
  failure: Failure | undefined;
  tooMany: string;
  supported: readonly Failure['code'][];
  className?: string;
};

/**
 * Keep it outside every element that is `inert` for a while: a screen reader may not read a message that appears
 * together with the rest of such an element (seen in Firefox with Orca).
 */
export function FailureMessage({ failure, tooMany, supported, className = '' }: FailureMessageProps) {
  const waitSeconds = failure?.retryAfterSeconds;
  const [waited, setWaited] = useState(0);

  useEffect(() => {
    setWaited(0);
    if (waitSeconds === undefined) return;
    const startMs = performance.now();
    const timer = setInterval(() => {
      const seconds = Math.floor((performance.now() - startMs) / SECOND_MS);
      if (seconds >= waitSeconds) clearInterval(timer);
      setWaited(seconds);
    }, SECOND_MS);
    return () => clearInterval(timer);
  }, [waitSeconds]);

  const left = waitSeconds === undefined ? undefined : waitSeconds - waited;
  const calm = failure?.code === 'SIGNED_OUT_ELSEWHERE';
  const over = left !== undefined && left <= 0;
  return (
    <p
      className={`message ${over || calm ? '' : 'message--error'} ${className}`}
      role="alert"
      aria-live={waited > 0 && !over ? 'off' : 'assertive'}
    >
      {failure && (
        <span>{over ? texts.retryNow : failureText({ ...failure, retryAfterSeconds: left }, tooMany)}</span>
      )}
      {failure && !over && supported.includes(failure.code) && <SupportContact />}
    </p>
  );
}

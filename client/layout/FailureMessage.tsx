import { useEffect, useState } from 'react';
import { SECOND_MS } from '../../shared/durations.ts';
import { PAGE_META } from '../../shared/pageMeta.ts';
import { supportContactParts } from '../../shared/supportContact.ts';
import { readPageMeta } from '../browser/readPageMeta.ts';
import type { Failure } from '../page/failure.ts';
import { texts } from '../texts.ts';
import { failureText } from './failureText.ts';
import { useFocusHandedOver } from './focus.ts';

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

function SupportContact() {
  const { ref } = useFocusHandedOver<HTMLSpanElement>();
  const line = readPageMeta(PAGE_META.supportContact);
  if (line === null) return null;
  return (
    <span className="message__support" dir="auto" ref={ref}>
      {' '}
      {supportContactParts(line).map(({ text, href }) =>
        href === null ? (
          text
        ) : (
          // Opens a new tab, since another page in this tab would end the audio: a web page may handle mail and calls.
          <a key={text} href={href} target="_blank" rel="noreferrer">
            {text}
          </a>
        ),
      )}
    </span>
  );
}

import { useEffect, useRef } from 'react';
import './LoadingOverlay.css';

/** Covers its card while a request runs. Takes the focus and gives it back afterwards. */
export function LoadingOverlay({ text }: { text: string }) {
  const content = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const focused = document.activeElement;
    content.current?.focus({ preventScroll: true });
    return () => {
      if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
    };
  }, []);

  return (
    <div className="overlay">
      <div className="overlay__content" role="status" tabIndex={-1} ref={content}>
        <span className="spinner" aria-hidden="true" />
        <p>{text}</p>
      </div>
    </div>
  );
}

import { useEffect, useRef } from 'react';

export function LoadingOverlay({ text }: { text: string }) {
  const content = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const focused = document.activeElement;
    content.current?.focus({ preventScroll: true });
    return () => {
      // Gives the focus back, unless the partner has moved it on.
      if (document.activeElement === document.body && focused instanceof HTMLElement)
        focused.focus({ preventScroll: true });
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

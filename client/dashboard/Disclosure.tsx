import { type ReactNode, useState } from 'react';
import { ErrorBoundary } from '../layout/ErrorBoundary.tsx';
import { useFocusHandedOver } from '../layout/focus.ts';

type DisclosureProps = { heading: string; hidden?: boolean; children: ReactNode };

export function Disclosure({ heading, hidden, children }: DisclosureProps) {
  const [open, setOpen] = useState(false);
  const { ref, isOff } = useFocusHandedOver<HTMLDetailsElement>(hidden);
  return (
    <details
      className="disclosure"
      ref={ref}
      hidden={isOff}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="disclosure__summary">{heading}</summary>
      {open && <ErrorBoundary>{children}</ErrorBoundary>}
    </details>
  );
}

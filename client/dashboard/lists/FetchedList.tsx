import { type ReactNode, useRef } from 'react';
import { failureText } from '../../layout/failureText.ts';
import type { Failure } from '../../page/failure.ts';
import { texts } from '../../texts.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import './lists.css';

type FetchedListProps = {
  loading: boolean;
  failure: Failure | undefined;
  emptyText?: string | false;
  hasMore?: boolean;
  /** Fetches the list again after a failure, else its older rows. */
  onFetch: () => void;
  children: ReactNode;
};

export function FetchedList({ loading, failure, emptyText, hasMore, onFetch, children }: FetchedListProps) {
  const region = useRef<HTMLDivElement>(null);
  const shownFailure = loading ? undefined : failure;
  return (
    <div className="fetched-list" ref={region} tabIndex={-1} aria-busy={loading}>
      {children}
      <p className={shownFailure ? 'message message--error' : 'fetched-list__status'} role="status">
        {loading
          ? texts.loading
          : shownFailure
            ? failureText(shownFailure, texts.tooManyAttempts)
            : emptyText}
      </p>
      {!loading && (failure || hasMore) && (
        <button
          className="button button--secondary"
          type="button"
          onClick={() => {
            // Keeps the focus in the list: the button disappears while rows load.
            region.current?.focus({ preventScroll: true });
            onFetch();
          }}
        >
          {failure ? dashboardTexts.retry : dashboardTexts.history.more}
        </button>
      )}
    </div>
  );
}

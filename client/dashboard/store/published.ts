import { hasSameParts } from '../../page/hasSameParts.ts';
import { succeeds } from '../../page/succeeds.ts';

export type Together = <Result>(act: () => Result) => Result;

/**
 * Keeps one snapshot until something changed, as `useSyncExternalStore` needs, and tells listeners once for each
 * outermost `together`, however much changed in it.
 * @param settle - called before listeners are told, again after changes of its own
 */
export function createPublished<State extends object>(compose: () => State, settle: () => void = () => {}) {
  const listeners = new Set<() => void>();
  let state: State | undefined;
  let depth = 0;
  let isStale = false;

  const together: Together = (act) => {
    depth += 1;
    try {
      return act();
    } finally {
      depth -= 1;
      if (depth === 0 && isStale) publish();
    }
  };

  function publish(): void {
    depth += 1;
    while (isStale) {
      isStale = false;
      succeeds(settle);
    }
    depth -= 1;
    const before = state;
    const now = compose();
    if (before !== undefined && hasSameParts(before, now)) return;
    state = now;
    for (const listener of [...listeners]) succeeds(listener);
  }

  return {
    state: (): State => {
      state ??= compose();
      return state;
    },
    subscribe(onChange: () => void): () => void {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    together,
    /** Call it after each change. */
    changed: () =>
      together(() => {
        isStale = true;
      }),
  };
}

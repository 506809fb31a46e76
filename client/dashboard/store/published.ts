import { succeeds } from '../succeeds.ts';

/** Keeps one snapshot until `renew`, as `useSyncExternalStore` needs: a new object each time would render for ever. */
export function createPublished<State>(compose: () => State) {
  const listeners = new Set<() => void>();
  let state: State | undefined;

  return {
    state: (): State => {
      state ??= compose();
      return state;
    },
    subscribe(onChange: () => void): () => void {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    renew(): void {
      state = compose();
      for (const listener of listeners) succeeds(listener);
    },
  };
}

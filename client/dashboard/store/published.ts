import { succeeds } from './succeeds.ts';

/** Holds the last composed state for React, which takes another object for another state. */
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

import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();

/** Returns the current path and renders again when it changes. */
export function usePathname(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname);
}

/** Goes to another path and replaces the current one in the history. */
export function redirect(path: string): void {
  window.history.replaceState(null, '', path);
  for (const listener of listeners) listener();
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange);
  window.addEventListener('popstate', onChange);
  return () => {
    listeners.delete(onChange);
    window.removeEventListener('popstate', onChange);
  };
}

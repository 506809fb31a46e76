import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();

/** The path of the page's address, followed as it changes. */
export function usePathname(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname);
}

/** Takes the page to another path, in the present one's place in the history. */
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

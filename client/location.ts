import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();

export function usePathname(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname);
}

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

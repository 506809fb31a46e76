import { useSyncExternalStore } from 'react';

export function usePathname(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname);
}

export function redirect(path: string): void {
  window.history.replaceState(null, '', path);
  // Browsers send this event only for their own back and forward.
  window.dispatchEvent(new PopStateEvent('popstate'));
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('popstate', onChange);
  return () => window.removeEventListener('popstate', onChange);
}

import { useEffect, useState } from 'react';

/** @returns `replacePath` writes the address without a new entry in the browser's history */
export function usePath() {
  const [path, setPath] = useState(window.location.pathname);

  useEffect(() => {
    const follow = () => setPath(window.location.pathname);
    window.addEventListener('popstate', follow);
    return () => window.removeEventListener('popstate', follow);
  }, []);

  function replacePath(next: string): void {
    if (next === path) return;
    window.history.replaceState(null, '', next);
    setPath(next);
  }

  return { path, replacePath };
}

import { useEffect, useState } from 'react';

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

import { useCallback, useEffect, useState } from 'react';

export function usePath() {
  const [path, setPath] = useState(window.location.pathname);

  useEffect(() => {
    const follow = () => setPath(window.location.pathname);
    window.addEventListener('popstate', follow);
    return () => window.removeEventListener('popstate', follow);
  }, []);

  const replacePath = useCallback((next: string) => {
    if (next !== window.location.pathname) window.history.replaceState(null, '', next);
    setPath(next);
  }, []);

  return { path, replacePath };
}

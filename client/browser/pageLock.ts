import type { HoldLock } from '../page/environment.ts';

/** The document before a reload may hold its lock for a moment longer. */
const LONGEST_WAIT_MS = 1_000;

/**
 * Holds a Web Lock, which also keeps browsers from putting a hidden tab to sleep. While the page is left it is
 * released, since a page that holds one may not enter the browser's back/forward cache. Over plain http there are no
 * locks.
 */
export const holdLock: HoldLock = (name, onAnswer = () => {}) => {
  let release = () => {};
  let isAnswered = false;

  function answer(isGranted: boolean): void {
    if (!isAnswered) onAnswer(isGranted);
    isAnswered = true;
  }

  function ask(): void {
    const asking = new AbortController();
    const timer = setTimeout(() => {
      asking.abort();
      answer(false);
    }, LONGEST_WAIT_MS);
    let isReleased = false;
    const released = new Promise<void>((resolve) => {
      release = () => {
        isReleased = true;
        clearTimeout(timer);
        asking.abort();
        resolve();
      };
    });
    const onHeld = () => {
      clearTimeout(timer);
      answer(true);
      return released;
    };
    const onRefused = () => {
      clearTimeout(timer);
      // The browser itself refused, as where storage is blocked: there are no locks, so the page may take it as held.
      if (!isReleased) answer(!asking.signal.aborted);
    };
    requestLock(name, asking.signal, onHeld).catch(onRefused);
  }

  const leave = () => release();
  const comeBack = ({ persisted }: PageTransitionEvent) => {
    if (persisted) ask();
  };
  // Chrome grants no lock to a page that it renders before it is shown.
  const whenShown = new AbortController();
  const { prerendering } = document as Document & { prerendering?: boolean };
  if (prerendering) document.addEventListener('prerenderingchange', ask, { signal: whenShown.signal });
  else ask();
  window.addEventListener('pagehide', leave);
  window.addEventListener('pageshow', comeBack);
  return () => {
    whenShown.abort();
    window.removeEventListener('pagehide', leave);
    window.removeEventListener('pageshow', comeBack);
    release();
  };
};

async function requestLock(name: string, signal: AbortSignal, onHeld: () => Promise<void>): Promise<void> {
  await navigator.locks.request(`sound ${name}`, { signal }, onHeld);
}

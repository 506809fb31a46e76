/**
 * Calls back when it is worth trying again at once: the network is there again, or the page is looked at again, whose timers
 * a phone may have frozen. Answers the way to stop it.
 */
export function onComeback(retry: () => void): () => void {
  const onVisibility = () => document.visibilityState === 'visible' && retry();
  window.addEventListener('online', retry);
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    window.removeEventListener('online', retry);
    document.removeEventListener('visibilitychange', onVisibility);
  };
}

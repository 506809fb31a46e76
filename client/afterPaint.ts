/**
 * The entry of the page. Imports the client after the first paint; imported at once, it may run first on a fast line
 * and delay that paint (Lighthouse on `/dashboard`: LCP up to 1.9 s at once, 1.0 s after). A browser too old for the
 * client shows a message instead.
 */

const LONGEST_WAIT_MS = 1_000;

// `inert` is the youngest feature that the client uses.
if (!('inert' in HTMLElement.prototype)) showTooOld();
else if (document.hidden) startClient();
else {
  new PerformanceObserver(startClient).observe({ type: 'paint', buffered: true });
  setTimeout(startClient, LONGEST_WAIT_MS);
}

function startClient(): void {
  void import('./main.tsx');
}

function showTooOld(): void {
  const message = document.getElementById('too-old');
  if (!message) return;
  document.querySelector('.shell')?.replaceChildren(message);
  message.hidden = false;
}

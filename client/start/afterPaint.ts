/**
 * Runs first in the built page (vite.config.ts): starts the client once the browser has shown what the page comes with, and not at
 * all in a browser older than those that it is built for, which is told so.
 */

const LONGEST_WAIT_MS = 1_000;

const fetched = document.querySelector<HTMLLinkElement>('link[rel=modulepreload]');

// Of what the client builds on, `inert` came last.
if (!('inert' in HTMLElement.prototype)) sayTooOld();
else if (document.hidden || !tellsOfPaint() || !fetchesAhead()) start();
else void painted().then(start);

function tellsOfPaint(): boolean {
  return PerformanceObserver.supportedEntryTypes.includes('paint');
}

function fetchesAhead(): boolean {
  return fetched?.relList.supports('modulepreload') ?? false;
}

function painted(): Promise<void> {
  return new Promise((resolve) => {
    new PerformanceObserver(() => resolve()).observe({ type: 'paint', buffered: true });
    setTimeout(resolve, LONGEST_WAIT_MS);
  });
}

function start(): void {
  if (!fetched) return;
  const script = document.createElement('script');
  script.type = 'module';
  script.src = fetched.href;
  document.head.append(script);
  fetchDashboard();
}

/** The dashboard's own code comes while React's still does, which would only ask for it once it runs. */
function fetchDashboard(): void {
  const named = document.querySelector<HTMLMetaElement>('meta[name=dashboard-script]');
  if (!named || location.pathname !== '/dashboard') return;
  const preload = document.createElement('link');
  preload.rel = 'modulepreload';
  preload.href = named.content;
  document.head.append(preload);
}

function sayTooOld(): void {
  const message = document.getElementById('too-old');
  const place = document.querySelector('.shell');
  if (!message || !place) return;
  place.textContent = '';
  place.append(message);
  message.removeAttribute('hidden');
}

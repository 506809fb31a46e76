import { PAGE_META } from '../../shared/pageMeta.ts';
import { readPageMeta } from '../browser/readPageMeta.ts';
import type { Screen } from '../routeGuard.ts';
import type { SendEvent } from './firebase.ts';

const IDLE_FALLBACK_MS = 1_000;

let sendEvent: Promise<SendEvent> | undefined;

export function startAnalytics(): void {
  const config = readPageMeta(PAGE_META.firebaseConfig);
  if (config === null) return;
  sendEvent = new Promise<unknown>(whenIdle)
    .then(() => import('./firebase.ts'))
    .then((firebase) => firebase.openAnalytics(config))
    // A blocker, no network or no storage: no event is sent.
    .catch(() => () => undefined);
}

/** Sends an event's name, without any product data. Events wait in order until Analytics is loaded. */
export function track(name: 'page_view', screen: Screen): void;
export function track(name: 'login' | 'token_created' | 'play' | 'copy'): void;
export function track(name: string, screen?: Screen): void {
  sendEvent?.then((send) => send(name, screen));
}

function whenIdle(callback: (deadline?: unknown) => void): void {
  if ('requestIdleCallback' in window) window.requestIdleCallback(callback);
  else setTimeout(callback, IDLE_FALLBACK_MS);
}

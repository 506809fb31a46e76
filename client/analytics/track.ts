import type { Route } from '../routes.ts';
import { whenIdle } from '../start/idle.ts';

export type Screen = Extract<Route, { screen: string }>['screen'];

/** What becomes of what happened. The first to come is a page view. */
export type Report = (name: string, screen?: Screen) => void;

let report: Promise<Report> | undefined;

/**
 * Loads Firebase Analytics as soon as the page is idle, if the page carries its configuration. Whatever fails there (a
 * blocker, no network, no storage) means no reports and nothing else.
 */
export function startAnalytics(): void {
  const config = document.querySelector<HTMLMetaElement>('meta[name=firebase-config]');
  if (!config) return;
  report = new Promise<void>((resolve) => whenIdle(resolve))
    .then(() => import('./firebase.ts'))
    .then((firebase) => firebase.openReports(config.content))
    .catch(() => () => undefined);
}

/**
 * Reports where analytics are configured, in order and from the start; otherwise does nothing. That something happened is
 * all that is ever reported, never by whom or with what.
 */
export function track(name: 'page_view', screen: Screen): void;
export function track(name: 'login' | 'token_created' | 'play' | 'copy'): void;
export function track(name: string, screen?: Screen): void {
  report?.then((send) => send(name, screen));
}

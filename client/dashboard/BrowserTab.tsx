import { useEffect } from 'react';
import { countdown } from '../page/countdown.ts';
import type { StoredToken } from '../page/records.ts';
import type { TokenState } from '../page/tokenState.ts';
import { texts } from '../texts.ts';
import { dashboardTexts } from './dashboardTexts.ts';
import { useTokenState } from './useTokenState.ts';
import type { Urgency, View } from './view.ts';

type BrowserTabProps = { token: StoredToken | null; view: TabView };

export function BrowserTab({ token, view }: BrowserTabProps) {
  const icon = tabIcon(view);

  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (!link || icon === null) return;
    const ownIcon = link.href;
    link.href = icon;
    return () => {
      link.href = ownIcon;
    };
  }, [icon]);

  return <title>{tabTitle(useTokenState(token), view)}</title>;
}

export type TabView = Pick<View, 'status' | 'alarm' | 'urgency'>;

/** Sound and time left come before the product's name, because tabs cut the end. */
export function tabTitle(state: TokenState, view: TabView): string {
  return `${markOf(view)}${timeOf(state)} · ${texts.title}`;
}

export function tabIcon({ urgency, status, alarm }: TabView): string | null {
  if (alarm !== 'none') return icon(NO_SOUND, AMBER);
  if (status === 'playing') return icon(PLAYING, urgency === 'last' ? AMBER : GREEN);
  return ICONS_AT_REST[urgency] ?? null;
}

function markOf({ status, alarm }: TabView): string {
  if (alarm !== 'none')
    return `⚠ ${status === 'muted' ? dashboardTexts.mutedTab : dashboardTexts.missingTab} · `;
  return status === 'playing' ? '▶ ' : '';
}

function timeOf(state: TokenState): string {
  if (state.kind !== 'active') return dashboardTexts.urgencies[state.kind];
  const { minutes, seconds } = countdown(state);
  return `${minutes}:${seconds}`;
}

function icon(shape: string, { background, foreground }: typeof GREEN): string {
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">` +
    `<rect width="32" height="32" rx="7" fill="${background}"/>` +
    `<path d="${shape}" fill="${foreground}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

const GREEN = { background: '#0b4a34', foreground: '#c9f26b' };
const AMBER = { background: '#ffc24b', foreground: '#2b1d00' };
const RED = { background: '#b3261e', foreground: '#ffffff' };

const PLAYING = 'M10 6v20l17-10z';
const NO_SOUND = 'M3 12h5l8-7v22l-8-7H3zM18.5 13.5l2-2 4 4 4-4 2 2-4 4 4 4-2 2-4-4-4 4-2-2 4-4z';
const WARNING = 'M13.5 5h5l-1 14h-3zM13.5 22h5v5h-5z';
const BAR = 'M6 13h20v6H6z';

const ICONS_AT_REST: Partial<Record<Urgency, string>> = {
  last: icon(WARNING, AMBER),
  expired: icon(BAR, RED),
};

import { texts } from '../texts.ts';
import { dashboardTexts } from './dashboardTexts.ts';
import { countdownText, type Tone, toneOf } from './token/countdown.ts';
import type { TokenState } from './token/tokenState.ts';

const PLAYING_MARK = '▶';

/** Returns the tab's title: playing or not and the time left, before the product's name since tabs cut the end. */
export function tabTitle(state: TokenState, playing: boolean): string {
  const parts = `${timeOf(state)} · ${texts.title}`;
  return playing ? `${PLAYING_MARK} ${parts}` : parts;
}

/** Returns the tab's icon as a data URL, with a shape and a colour for each state; null for the product's own icon. */
export function tabIcon(state: TokenState, playing: boolean): string | null {
  const tone = toneOf(state);
  if (tone === 'none' || (tone === 'calm' && !playing)) return null;
  const { background, foreground } = COLOURS[tone];
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">` +
    `<rect width="32" height="32" rx="7" fill="${background}"/>` +
    `<path d="${playing ? PLAYING : SHAPES[tone]}" fill="${foreground}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

function timeOf(state: TokenState): string {
  if (state.kind === 'active') return countdownText(state).replaceAll(' ', '');
  return dashboardTexts.tones[state.kind];
}

const PLAYING = 'M10 6v20l17-10z';
const SHAPES: Record<Exclude<Tone, 'none'>, string> = {
  calm: '',
  last: 'M13.5 5h5l-1 14h-3zM13.5 22h5v5h-5z',
  expired: 'M6 13h20v6H6z',
};
const COLOURS: Record<Exclude<Tone, 'none'>, { background: string; foreground: string }> = {
  calm: { background: '#0b4a34', foreground: '#c9f26b' },
  last: { background: '#ffc24b', foreground: '#2b1d00' },
  expired: { background: '#b3261e', foreground: '#ffffff' },
};

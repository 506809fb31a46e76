import type { Dashboard, PageEvent, PageState } from './pageState.ts';
import type { ConnectionEnd } from './player/connectionEvents.ts';
import { type AudioEffect, audioEffectsBetween } from './player/playerEffects.ts';
import { PLAYER_AT_REST } from './player/playerState.ts';

export type PageEffect =
  | AudioEffect
  | { type: 'openSound' | 'closeSound' }
  | { type: 'createToken'; number: number; isAutomatic: boolean }
  | { type: 'askDashboard'; number: number }
  | { type: 'askWhy'; id: number; url: string }
  | { type: 'holdLock' | 'releaseLock'; page: string }
  | { type: 'track'; name: 'play' | 'token_created' };

/** A connection on which one of these effects failed counts as ended: it is closed, and another one is attempted. */
const ENDS_AFTER_FAILURE: Partial<Record<PageEffect['type'], ConnectionEnd>> = {
  open: 'unopened',
  swap: 'lost',
  hold: 'lost',
  release: 'lost',
  resume: 'lost',
};

/** Null if nothing follows from the failure. */
export function eventAfterFailure(effect: PageEffect): PageEvent | null {
  const end = ENDS_AFTER_FAILURE[effect.type];
  return end && 'id' in effect ? { type: 'connectionEvent', id: effect.id, event: { type: end } } : null;
}

/**
 * All that the page does follows from how its state changed.
 * @param before - null when the page opens
 */
export function effectsBetween(before: PageState | null, after: PageState): PageEffect[] {
  const [was, is] = [dashboardOf(before), dashboardOf(after)];
  const effects = was && is && was.number === is.number ? changes(was, is) : [];
  if (was && was.number !== is?.number) effects.push(...effectsOfClosing(was));
  if (is && was?.number !== is.number) effects.push(...opening(is));
  return effects;
}

function dashboardOf(state: PageState | null): Dashboard | null {
  return state?.kind === 'signedIn' ? state.dashboard : null;
}

function opening({ locks, questionNumber }: Dashboard): PageEffect[] {
  return [
    { type: 'openSound' },
    ...locks.pages.map((page) => ({ type: 'holdLock', page }) as const),
    ...(questionNumber === null ? [] : [{ type: 'askDashboard', number: questionNumber } as const]),
  ];
}

export function effectsOfClosing({ player, locks }: Dashboard): PageEffect[] {
  return [
    ...audioEffectsBetween(player, PLAYER_AT_REST),
    ...locks.pages.map((page) => ({ type: 'releaseLock', page }) as const),
    { type: 'closeSound' },
  ];
}

function changes(before: Dashboard, after: Dashboard): PageEffect[] {
  const effects: PageEffect[] = audioEffectsBetween(before.player, after.player);
  const { player, locks, creation, questionNumber, outcome } = after;
  const { asking } = player.answers;
  if (asking && asking !== before.player.answers.asking)
    effects.push({ type: 'askWhy', id: asking.id, url: asking.url });
  for (const page of locks.pages)
    if (!before.locks.pages.includes(page)) effects.push({ type: 'holdLock', page });
  for (const page of before.locks.pages)
    if (!locks.pages.includes(page)) effects.push({ type: 'releaseLock', page });
  if (creation && creation.number !== before.creation?.number)
    effects.push({ type: 'createToken', number: creation.number, isAutomatic: creation.isAutomatic });
  if (questionNumber !== null && questionNumber !== before.questionNumber)
    effects.push({ type: 'askDashboard', number: questionNumber });
  if (player.hasPlayed && !before.player.hasPlayed) effects.push({ type: 'track', name: 'play' });
  if (outcome?.kind === 'made' && outcome !== before.outcome)
    effects.push({ type: 'track', name: 'token_created' });
  return effects;
}

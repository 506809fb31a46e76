import type { Claim, PlayerState } from './playerState.ts';

export type PlayerEffect =
  | { type: 'open' | 'openBeside' | 'askWhy'; id: number; url: string }
  | { type: 'swap'; id: number }
  | { type: 'close'; id: number }
  /** Stops the sound but keeps the connection, until `release`. */
  | { type: 'hold' | 'release'; id: number }
  | { type: 'resume'; id: number }
  | { type: 'createToken' }
  | { type: 'tellOtherTabs'; claim: Claim | null }
  | { type: 'remember'; wanted: boolean }
  | { type: 'trackPlay' };

export function effectsBetween(before: PlayerState, after: PlayerState): PlayerEffect[] {
  const { heard, beside, attempts } = after;
  const effects: PlayerEffect[] = [];
  const isHeardAnew = heard !== null && heard.id !== before.heard?.id;
  const isSwapped = isHeardAnew && heard.id === before.beside?.open?.id;
  if (isSwapped) effects.push({ type: 'swap', id: heard.id });
  for (const gone of [before.heard, before.beside?.open]) {
    const isKept = gone?.id === heard?.id || gone?.id === beside?.open?.id;
    if (gone && !isKept) effects.push({ type: 'close', id: gone.id });
  }
  if (isHeardAnew && !isSwapped) effects.push({ type: 'open', id: heard.id, url: heard.url });
  if (beside?.open && beside.open.id !== before.beside?.open?.id)
    effects.push({ type: 'openBeside', ...beside.open });
  if (heard && !isHeardAnew && after.held !== before.held)
    effects.push({ type: after.held ? 'hold' : 'release', id: heard.id });
  if (heard && !isHeardAnew && before.obstacle === 'pausedOutside' && after.obstacle === null)
    effects.push({ type: 'resume', id: heard.id });
  if (attempts.asking && attempts.asking !== before.attempts.asking)
    effects.push({ type: 'askWhy', id: attempts.asking.id, url: attempts.asking.url });
  if (after.creations.underWay === 'beforehand' && before.creations.underWay === null)
    effects.push({ type: 'createToken' });
  if (after.claim !== before.claim && !after.otherTabPlays)
    effects.push({ type: 'tellOtherTabs', claim: after.claim });
  if (after.wanted !== before.wanted) effects.push({ type: 'remember', wanted: after.wanted });
  if (after.hasSounded && !before.hasSounded) effects.push({ type: 'trackPlay' });
  return effects;
}

import type { PlayerState } from './playerState.ts';

export type AudioEffect =
  /** `isBeside`: another connection is heard, which plays on. */
  | { type: 'open'; id: number; url: string; isPlain: boolean; isBeside: boolean }
  /** Takes the place of the connection that was heard, or that is. */
  | { type: 'swap'; id: number }
  | { type: 'close'; id: number }
  /** Stops the sound but keeps the connection, until `release`. */
  | { type: 'hold' | 'release'; id: number }
  | { type: 'resume'; id: number };

export function audioEffectsBetween(before: PlayerState, after: PlayerState): AudioEffect[] {
  const { heard, opening } = after;
  const [wasFirst, first] = [before.heard ?? before.opening, heard ?? opening];
  const effects: AudioEffect[] = [];
  if (first && before.heard && first.id === before.opening?.id) effects.push({ type: 'swap', id: first.id });
  for (const { id } of [before.heard, before.opening].filter((gone) => gone !== null)) {
    // Also for a connection that closed itself, so that the audio forgets it.
    if (id !== heard?.id && id !== opening?.id) effects.push({ type: 'close', id });
  }
  if (opening && opening.id !== before.opening?.id) {
    const { id, url, isPlain } = opening;
    effects.push({ type: 'open', id, url, isPlain, isBeside: heard !== null });
  }
  if (heard && heard.id === wasFirst?.id) {
    const { id } = heard;
    if (after.mutedWhileCreating !== before.mutedWhileCreating)
      effects.push({ type: after.mutedWhileCreating ? 'hold' : 'release', id });
    if (before.obstacle === 'pausedOutside' && after.obstacle === null) effects.push({ type: 'resume', id });
  }
  return effects;
}

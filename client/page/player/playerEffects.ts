import type { ConnectionState, PlayerState } from './playerState.ts';

export type AudioEffect =
  | { type: 'open' | 'openReplacement'; id: number; url: string; isPlain: boolean }
  | { type: 'swap'; id: number }
  | { type: 'close'; id: number }
  /** Stops the sound but keeps the connection, until `release`. */
  | { type: 'hold' | 'release'; id: number }
  | { type: 'resume'; id: number };

export function audioEffectsBetween(before: PlayerState, after: PlayerState): AudioEffect[] {
  const { connection, replacement } = after;
  const effects: AudioEffect[] = [];
  const isNew = connection !== null && connection.id !== before.connection?.id;
  const isSwapped = isNew && connection.id === before.replacement?.id;
  if (isSwapped) effects.push({ type: 'swap', id: connection.id });
  for (const { id } of [before.connection, before.replacement].filter((gone) => gone !== null)) {
    // Also for a connection that closed itself, so that the audio forgets it.
    if (id !== connection?.id && id !== replacement?.id) effects.push({ type: 'close', id });
  }
  if (isNew && !isSwapped) effects.push(opening('open', connection));
  if (replacement && replacement.id !== before.replacement?.id)
    effects.push(opening('openReplacement', replacement));
  if (connection && !isNew) {
    const { id } = connection;
    if (after.mutedWhileCreating !== before.mutedWhileCreating)
      effects.push({ type: after.mutedWhileCreating ? 'hold' : 'release', id });
    if (before.obstacle === 'pausedOutside' && after.obstacle === null) effects.push({ type: 'resume', id });
  }
  return effects;
}

function opening(type: 'open' | 'openReplacement', { id, url, isPlain }: ConnectionState): AudioEffect {
  return { type, id, url, isPlain };
}

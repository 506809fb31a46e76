export const FULL_VOLUME = 100;
/** The level after unmuting a sound that was turned down to 0: audible, but not painful in headphones. */
const MODEST_VOLUME = 50;

/** `level` is in per cent of full volume. */
export type Volume = { level: number; muted: boolean };

/** Parses a stored volume, `70` or `70 muted`. Anything else reads as full volume. */
export function parseVolume(text: string | null): Volume {
  const match = /^(100|\d{1,2})( muted)?$/.exec(text ?? '');
  return match
    ? { level: Number(match[1]), muted: match[2] !== undefined }
    : { level: FULL_VOLUME, muted: false };
}

export function volumeText({ level, muted }: Volume): string {
  return muted ? `${level} muted` : String(level);
}

/** Returns the level that is heard, in per cent of full volume. */
export function audibleLevel({ level, muted }: Volume): number {
  return muted ? 0 : level;
}

/** Mutes an audible volume; makes a silent one audible again, whether it was muted or turned down. */
export function withMuteToggled(volume: Volume): Volume {
  return audibleLevel(volume) > 0
    ? { ...volume, muted: true }
    : { level: volume.level || MODEST_VOLUME, muted: false };
}

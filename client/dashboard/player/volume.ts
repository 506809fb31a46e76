export const FULL_VOLUME = 100;
/** What turning the sound on gives that was turned down to nothing: heard, and no blow to whoever wears headphones. */
const MODEST_VOLUME = 50;

/** `level`: in per cent of full volume. */
export type Volume = { level: number; muted: boolean };

/** The volume last chosen, as it is stored: `70`, or `70 muted`. Anything else reads as full volume. */
export function parseVolume(text: string | null): Volume {
  const match = /^(100|\d{1,2})( muted)?$/.exec(text ?? '');
  return match
    ? { level: Number(match[1]), muted: match[2] !== undefined }
    : { level: FULL_VOLUME, muted: false };
}

export function volumeText({ level, muted }: Volume): string {
  return muted ? `${level} muted` : String(level);
}

/** What is heard, in per cent of full volume. */
export function audibleLevel({ level, muted }: Volume): number {
  return muted ? 0 : level;
}

/** Mutes what is heard; gives back the sound to what is not, whichever way it was taken. */
export function withMuteToggled(volume: Volume): Volume {
  return audibleLevel(volume) > 0
    ? { ...volume, muted: true }
    : { level: volume.level || MODEST_VOLUME, muted: false };
}

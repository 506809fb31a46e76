import { useSyncExternalStore } from 'react';
import { browserStorage } from '../../browser/storage.ts';
import { STORAGE_KEYS } from '../../page/storageKeys.ts';

export const FULL_VOLUME = 100;
/** The level after unmuting a sound that was turned down to 0: audible, but not painful in headphones. */
const MODEST_VOLUME = 50;

export type Volume = { level: number; muted: boolean };

export function useVolume(): Volume {
  return parseVolume(useSyncExternalStore(browserStorage.subscribe, storedText));
}

export function storedVolume(): Volume {
  return parseVolume(storedText());
}

export function keepVolume(volume: Volume): void {
  browserStorage.setItem(STORAGE_KEYS.volume, volumeText(volume));
}

export function parseVolume(text: string | null): Volume {
  const match = /^(100|\d{1,2})( muted)?$/.exec(text ?? '');
  return match
    ? { level: Number(match[1]), muted: match[2] !== undefined }
    : { level: FULL_VOLUME, muted: false };
}

export function audibleLevel({ level, muted }: Volume): number {
  return muted ? 0 : level;
}

export function volumeText({ level, muted }: Volume): string {
  return muted ? `${level} muted` : String(level);
}

export function toggleMute(volume: Volume): Volume {
  return audibleLevel(volume) > 0
    ? { ...volume, muted: true }
    : { level: volume.level || MODEST_VOLUME, muted: false };
}

/** On iPhones only the buttons of the phone set the volume. */
export function volumeCanBeSet(): boolean {
  const audio = document.createElement('audio');
  audio.volume = 0.5;
  return audio.volume === 0.5;
}

function storedText(): string | null {
  return browserStorage.getItem(STORAGE_KEYS.volume);
}

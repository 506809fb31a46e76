import { useSyncExternalStore } from 'react';
import { browserStorage, STORAGE_KEYS } from '../../session/storage.ts';
import { audibleLevel, parseVolume, type Volume, volumeText } from './volume.ts';

/** Returns this browser's volume, kept beyond the sign-out and followed across tabs. */
export function useVolume(): Volume {
  return parseVolume(useSyncExternalStore(browserStorage.subscribe, storedVolume));
}

/** Returns whether the volume lets nothing be heard; renders again only when that changes. */
export function useMuted(): boolean {
  return useSyncExternalStore(
    browserStorage.subscribe,
    () => audibleLevel(parseVolume(storedVolume())) === 0,
  );
}

function storedVolume(): string | null {
  return browserStorage.getItem(STORAGE_KEYS.volume);
}

export function keepVolume(volume: Volume): void {
  browserStorage.setItem(STORAGE_KEYS.volume, volumeText(volume));
}

/** Returns whether a page may set a volume in this browser; on iPhones only the buttons of the phone do. */
export function volumeCanBeSet(): boolean {
  const audio = document.createElement('audio');
  audio.volume = 0.5;
  return audio.volume === 0.5;
}

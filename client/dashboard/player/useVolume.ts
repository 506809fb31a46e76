import { useSyncExternalStore } from 'react';
import { browserStorage, STORAGE_KEYS } from '../../session/storage.ts';
import { parseVolume, type Volume, volumeText } from './volume.ts';

/** Returns this browser's volume, kept beyond the sign-out and followed across tabs. */
export function useVolume(): Volume {
  const text = useSyncExternalStore(browserStorage.subscribe, () =>
    browserStorage.getItem(STORAGE_KEYS.volume),
  );
  return parseVolume(text);
}

export function keepVolume(volume: Volume): void {
  browserStorage.setItem(STORAGE_KEYS.volume, volumeText(volume));
}

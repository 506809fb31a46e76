import { useSyncExternalStore } from 'react';
import { browserStorage, STORAGE_KEYS } from '../../session/storage.ts';
import { parseVolume, type Volume, volumeText } from './volume.ts';

const listeners = new Set<() => void>();

/** Returns this browser's volume, kept beyond the sign-out and followed across tabs. */
export function useVolume(): Volume {
  return parseVolume(useSyncExternalStore(subscribe, () => browserStorage.getItem(STORAGE_KEYS.volume)));
}

export function keepVolume(volume: Volume): void {
  browserStorage.setItem(STORAGE_KEYS.volume, volumeText(volume));
  for (const listener of listeners) listener();
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange);
  window.addEventListener('storage', onChange);
  return () => {
    listeners.delete(onChange);
    window.removeEventListener('storage', onChange);
  };
}

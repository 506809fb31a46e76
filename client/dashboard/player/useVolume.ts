import { useSyncExternalStore } from 'react';
import { withMemoryFallback } from '../../session/storage.ts';
import { parseVolume, type Volume, volumeText } from './volume.ts';

const VOLUME_KEY = 'volume';

const storage = withMemoryFallback(() => window.localStorage);
const listeners = new Set<() => void>();

/** This browser's volume, remembered beyond the sign-out and followed across tabs. */
export function useVolume(): Volume {
  return parseVolume(useSyncExternalStore(subscribe, () => storage.getItem(VOLUME_KEY)));
}

export function keepVolume(volume: Volume): void {
  storage.setItem(VOLUME_KEY, volumeText(volume));
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

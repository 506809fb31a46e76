import { PAGE_META } from '../shared/pageMeta.ts';
import { track } from './analytics/analytics.ts';
import { onComeback } from './api/network.ts';
import { browserClock } from './browser/browserClock.ts';
import { holdLock } from './browser/pageLock.ts';
import { readPageMeta } from './browser/readPageMeta.ts';
import { browserStorage, tabStorage } from './browser/storage.ts';
import { askStream } from './dashboard/audio/askStream.ts';
import { answerMediaKeys } from './dashboard/audio/mediaKeys.ts';
import { createSoundDevice } from './dashboard/audio/soundDevice.ts';
import { createSoundOutput } from './dashboard/audio/soundOutput.ts';
import { createStreamAudio } from './dashboard/audio/streamAudio.ts';
import { storedVolume } from './dashboard/audio/volume.ts';
import { createPage, type Page } from './page/createPage.ts';
import type { Environment, StreamAudio } from './page/environment.ts';
import { runSafely } from './page/runSafely.ts';

/** Call it once, before React renders anything. */
export function startPage(): Page {
  const page = createPage({
    storage: browserStorage,
    tabStorage,
    clock: browserClock,
    holdLock,
    openAudio,
    askStream,
    track,
  });
  window.addEventListener('pagehide', () => page.send({ type: 'pageLeft' }));
  onComeback(() => page.send({ type: 'retryAsked' }));
  answerMediaKeys(page);
  return page;
}

function openAudio(...[onEvent, onDeviceReturn]: Parameters<Environment['openAudio']>): StreamAudio {
  const output = createSoundOutput(readPageMeta(PAGE_META.streamCors) === 'on');
  // Not rendered by React, because the two are swapped.
  const createElement = () => document.createElement('audio');
  const audio = createStreamAudio(
    output,
    createSoundDevice(onDeviceReturn),
    createElement,
    document.body,
    onEvent,
  );
  const followVolume = () => void runSafely(() => output.setVolume(storedVolume()));
  const unsubscribe = browserStorage.subscribe(followVolume);
  followVolume();
  return {
    ...audio,
    close() {
      unsubscribe();
      audio.close();
    },
  };
}

import { PAGE_META } from '../../shared/pageMeta.ts';
import { apolloClient } from '../api/apolloClient.ts';
import { onComeback } from '../api/backoff.ts';
import { browserClock } from '../browser/browserClock.ts';
import { holdLock } from '../browser/pageLock.ts';
import { DashboardDocument } from '../generated/graphql.ts';
import { isOnAir } from '../page/player/playerState.ts';
import { succeeds } from '../page/succeeds.ts';
import { readPageMeta } from '../readPageMeta.ts';
import { type Account, localRecords } from '../session/localRecords.ts';
import { pageSession } from '../session/pageSession.ts';
import { browserStorage, tabStorage } from '../session/storage.ts';
import { askStream } from './audio/askStream.ts';
import { answerMediaKeys } from './audio/mediaKeys.ts';
import { createSoundDevice } from './audio/soundDevice.ts';
import { createSoundOutput } from './audio/soundOutput.ts';
import { createStreamAudio } from './audio/streamAudio.ts';
import { storedVolume } from './audio/volume.ts';
import { createDashboardStore, type DashboardStore } from './store/dashboardStore.ts';
import type { OpenAudio, StreamAudio } from './store/player.ts';
import type { CreateToken } from './store/tokenCreation.ts';

let open: { account: Account; store: DashboardStore } | null = null;

/** Returns the account's store, made when its dashboard first opens and kept outside React until the sign-out. */
export function openDashboard(account: Account, createToken: CreateToken): DashboardStore {
  if (open?.account.id !== account.id || open.store.hasEnded()) {
    open?.store.end();
    open = { account, store: openStore(account, createToken) };
  }
  return open.store;
}

export function closeDashboard(): void {
  open?.store.end();
}

pageSession.onSignOutElsewhere(closeDashboard);

function openStore(account: Account, createToken: CreateToken): DashboardStore {
  const store = createDashboardStore(account, {
    storage: browserStorage,
    tabStorage,
    holdLock,
    openChannel: (onMessage) =>
      Object.assign(new BroadcastChannel('player'), {
        onmessage: ({ data }: MessageEvent) => onMessage(data),
      }),
    clock: browserClock,
    ask: { createToken, dashboard: askDashboard, stream: askStream },
    openAudio: (onEvent) => openAudio(onEvent, () => store.send({ type: 'retryAsked' })),
  });
  const leave = () => store.send({ type: 'pageLeft' });
  window.addEventListener('pagehide', leave);
  const cleanups = [
    () => window.removeEventListener('pagehide', leave),
    onComeback(() => store.send({ type: 'retryAsked' })),
    answerMediaKeys(store, () => (localRecords.account() ?? account).company),
    store.subscribe(follow),
  ];
  const followInSession = pageSession.followDashboard(account);
  function follow(): void {
    const { player, sessionEnded } = store.state();
    followInSession({ sessionEnded, isOnAir: isOnAir(player) });
    if (store.hasEnded()) for (const cleanUp of cleanups.splice(0)) cleanUp();
  }
  follow();
  return store;
}

async function askDashboard() {
  try {
    const { data } = await apolloClient.query({ query: DashboardDocument, fetchPolicy: 'network-only' });
    return data ?? null;
  } catch {
    return null;
  }
}

function openAudio(onEvent: Parameters<OpenAudio>[0], onDeviceReturn: () => void): StreamAudio {
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
  const followVolume = () => void succeeds(() => output.setVolume(storedVolume()));
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

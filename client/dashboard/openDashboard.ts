import { PAGE_META } from '../../shared/pageMeta.ts';
import { track } from '../analytics/track.ts';
import { apolloClient } from '../api/apolloClient.ts';
import { onComeback } from '../api/backoff.ts';
import { browserClock } from '../browser/browserClock.ts';
import { openOlderPages } from '../browser/olderPages.ts';
import { holdLock } from '../browser/pageLock.ts';
import { DashboardDocument } from '../generated/graphql.ts';
import { createPage, type Page } from '../page/createPage.ts';
import { isOnAir } from '../page/player/playerState.ts';
import type { Account } from '../page/records.ts';
import { succeeds } from '../page/succeeds.ts';
import type { Requests, StreamAudio, Surroundings } from '../page/surroundings.ts';
import { readPageMeta } from '../readPageMeta.ts';
import { localRecords } from '../session/localRecords.ts';
import { pageSession } from '../session/pageSession.ts';
import { browserStorage, tabStorage } from '../session/storage.ts';
import { askStream } from './audio/askStream.ts';
import { answerMediaKeys } from './audio/mediaKeys.ts';
import { createSoundDevice } from './audio/soundDevice.ts';
import { createSoundOutput } from './audio/soundOutput.ts';
import { createStreamAudio } from './audio/streamAudio.ts';
import { storedVolume } from './audio/volume.ts';

let open: { account: Account; page: Page } | null = null;

/** Returns the account's page, made when its dashboard first opens and kept outside React until the sign-out. */
export function openDashboard(account: Account, createToken: Requests['createToken']): Page {
  if (open?.account.id !== account.id || open.page.state().hasEnded) {
    closeDashboard();
    open = { account, page: openPage(account, createToken) };
  }
  return open.page;
}

export function closeDashboard(): void {
  open?.page.send({ type: 'dashboardClosed' });
}

pageSession.onSignOutElsewhere(closeDashboard);

function openPage(account: Account, createToken: Requests['createToken']): Page {
  const page: Page = createPage(
    account,
    { createToken, dashboard: askDashboard },
    {
      storage: browserStorage,
      tabStorage,
      clock: browserClock,
      holdLock,
      openOlderPages: (onChange) => openOlderPages(browserClock, openChannel, onChange),
      openAudio: (onEvent) => openAudio(onEvent, () => page.send({ type: 'retryAsked' })),
      askStream,
      track,
    },
  );
  const leave = () => page.send({ type: 'pageLeft' });
  window.addEventListener('pagehide', leave);
  const cleanups = [
    () => window.removeEventListener('pagehide', leave),
    onComeback(() => page.send({ type: 'retryAsked' })),
    answerMediaKeys(page, () => (localRecords.account() ?? account).company),
    page.subscribe(follow),
  ];
  const followInSession = pageSession.followDashboard(account);
  function follow(): void {
    const { dashboard, sessionEnded, hasEnded } = page.state();
    followInSession({ sessionEnded, isOnAir: isOnAir(dashboard.player) });
    if (hasEnded) for (const cleanUp of cleanups.splice(0)) cleanUp();
  }
  follow();
  return page;
}

function openChannel(onMessage: (message: never) => void) {
  return Object.assign(new BroadcastChannel('player'), {
    onmessage: ({ data }: MessageEvent<never>) => onMessage(data),
  });
}

async function askDashboard() {
  try {
    const { data } = await apolloClient.query({ query: DashboardDocument, fetchPolicy: 'network-only' });
    return data ?? null;
  } catch {
    return null;
  }
}

function openAudio(
  onEvent: Parameters<Surroundings['openAudio']>[0],
  onDeviceReturn: () => void,
): StreamAudio {
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

import { PAGE_META } from '../../shared/pageMeta.ts';
import { apolloClient } from '../api/apolloClient.ts';
import { onComeback } from '../api/backoff.ts';
import { DashboardDocument } from '../generated/graphql.ts';
import { readPageMeta } from '../readPageMeta.ts';
import { type Account, localRecords } from '../session/localRecords.ts';
import { followSignOutElsewhere, lastSession, soundOnAir } from '../session/sessionEnd.ts';
import { browserStorage, tabStorage } from '../session/storage.ts';
import { askStream } from './audio/askStream.ts';
import { browserClock } from './audio/browserClock.ts';
import { answerMediaKeys } from './audio/mediaKeys.ts';
import { createPageAudio } from './audio/pageAudio.ts';
import { createSoundOutput } from './audio/soundOutput.ts';
import { storedVolume } from './audio/volume.ts';
import { createPage, type Page, type Surroundings } from './createPage.ts';
import { isOnAir } from './machine/playerState.ts';
import type { CreateToken } from './token/useCreateToken.ts';

let open: { account: Account; page: Page } | null = null;

/** Returns the account's page, created when its dashboard first opens and kept outside React until the sign-out. */
export function pageOf(account: Account, createToken: CreateToken): Page {
  if (open?.account.id !== account.id || open.page.hasEnded()) {
    open?.page.end();
    open = { account, page: openPage(account, createToken) };
  }
  return open.page;
}

export function endPage(): void {
  open?.page.end();
}

followSignOutElsewhere(endPage);

function openPage(account: Account, createToken: CreateToken): Page {
  const page = createPage(account, surroundings(createToken));
  const leave = () => page.send({ type: 'pageLeft' });
  window.addEventListener('pagehide', leave);
  const cleanups = [
    () => window.removeEventListener('pagehide', leave),
    onComeback(() => page.send({ type: 'retryAsked' })),
    answerMediaKeys(page, () => (localRecords.account() ?? account).company),
    page.subscribe(follow),
  ];
  let wasEnded = false;
  function follow(): void {
    const { player, sessionEnded } = page.state();
    // Unless this tab knows the reason, another one found the session refused.
    if (sessionEnded !== wasEnded)
      lastSession.end = sessionEnded ? (lastSession.end ?? 'UNAUTHENTICATED') : undefined;
    wasEnded = sessionEnded;
    // After the session's end the dashboard stays until the sound ends too.
    const onAir = isOnAir(player);
    soundOnAir(onAir ? account : null);
    if (onAir) lastSession.cutSound = sessionEnded;
    if (page.hasEnded()) for (const cleanUp of cleanups.splice(0)) cleanUp();
  }
  follow();
  return page;
}

const surroundings = (createToken: CreateToken): Surroundings => ({
  storage: browserStorage,
  tabStorage,
  channel: (onMessage) =>
    Object.assign(new BroadcastChannel('player'), {
      onmessage: ({ data }: MessageEvent) => onMessage(data),
    }),
  clock: browserClock,
  ask: {
    createToken,
    dashboard: () =>
      apolloClient.query({ query: DashboardDocument, fetchPolicy: 'network-only' }).then(
        ({ data }) => data ?? null,
        () => null,
      ),
    stream: askStream,
  },
  audio(onEvent) {
    const output = createSoundOutput(readPageMeta(PAGE_META.streamCors) === 'on');
    const elements = [document.createElement('audio'), document.createElement('audio')] as const;
    // Not rendered by React, because the page swaps the two.
    document.body.append(elements[0]);
    const audio = createPageAudio(output, elements, onEvent);
    const followVolume = () => output.setVolume(storedVolume());
    const unsubscribe = browserStorage.subscribe(followVolume);
    followVolume();
    return {
      ...audio,
      close() {
        unsubscribe();
        audio.close();
        for (const element of elements) element.remove();
      },
    };
  },
});

import { isOnAir, PLAYER_AT_REST, type PlayerState } from '../../page/player/playerState.ts';
import { tokenState } from '../../page/tokenState.ts';
import { type Account, recordsIn } from '../../session/localRecords.ts';
import {
  type KeyValueStorage,
  type ObservedStorage,
  STORAGE_KEYS,
  type StorageChange,
} from '../../session/storage.ts';
import { type AskDashboard, createDashboardQuestion } from './dashboardQuestion.ts';
import { createOlderPages, type OpenChannel } from './olderPages.ts';
import { type AskStream, createPlayer, type OpenAudio } from './player.ts';
import { createPublished } from './published.ts';
import { type Clock, createScheduler } from './scheduler.ts';
import { createSession, type Session } from './session.ts';
import { createSoundPlace, type HoldLock, type SoundPlace } from './soundPlace.ts';
import { type CreateToken, type Creation, createTokenCreation } from './tokenCreation.ts';
import { createTokenStore, type Tokens } from './tokenStore.ts';

/** Storage keys whose changes by this page itself count too. Of the token only other tabs' changes are news. */
const OWN_KEYS_HEARD: string[] = [STORAGE_KEYS.account, STORAGE_KEYS.autoCreate];

export type DashboardState = Tokens & Creation & Session & SoundPlace & { player: PlayerState };

export type Surroundings = {
  storage: ObservedStorage;
  tabStorage: KeyValueStorage;
  holdLock: HoldLock;
  openChannel: OpenChannel;
  clock: Clock;
  ask: { createToken: CreateToken; dashboard: AskDashboard; stream: AskStream };
  openAudio: OpenAudio;
};

export type DashboardStore = ReturnType<typeof createDashboardStore>;

/**
 * Holds what the dashboard knows and does, from its opening for an account until the sign-out. Uses neither DOM nor
 * React: components subscribe to it and show its state. Each part calls `changed` after a change of its state, and
 * runs in `together` what follows from one event.
 */
export function createDashboardStore(account: Account, surroundings: Surroundings) {
  const { storage, tabStorage, holdLock, openChannel, clock, ask, openAudio } = surroundings;
  const records = recordsIn(storage);
  const { together, changed, ...published } = createPublished(composed, settle);
  let hasEnded = false;
  let settledPlayer = PLAYER_AT_REST;

  const tokens = createTokenStore({ account, records, clock, changed, onChange: followToken });
  const player = createPlayer({
    clock,
    openAudio,
    askStream: ask.stream,
    given: tokens.given,
    noteSound: (isWanted) => soundPlace.note(isWanted),
    remember: (wanted) => soundPlace.remember(wanted),
    onTick: checkClock,
    together,
    changed,
  });
  const creation = createTokenCreation({ account, records, clock, ask, player, tokens, together, changed });
  const askDashboard = createDashboardQuestion({ records, ask, player, tokens, creation, together });
  const soundPlace = createSoundPlace({
    accountId: account.id,
    clock,
    storage,
    tabStorage,
    holdLock,
    olderPages: createOlderPages({ clock, openChannel }),
    player,
    changed,
  });
  const session = createSession({ account, records, storage, onOtherAccount: end, onRead: followSession });
  const scheduler = createScheduler(clock, [tokens, soundPlace, creation, player], together);

  function composed(): DashboardState {
    return {
      player: player.state(),
      ...tokens.state(),
      ...creation.state(),
      ...session.state(),
      ...soundPlace.state(),
    };
  }

  function settle(): void {
    const { sessionEnded, autoCreate } = session.state();
    const playerBefore = settledPlayer;
    settledPlayer = player.state();
    if (!hasEnded) creation.follow(playerBefore, autoCreate && !sessionEnded);
    if (sessionEnded && !isOnAir(player.state())) end();
    if (!hasEnded) scheduler.schedule();
  }

  function checkClock(): void {
    if (!hasEnded) together(scheduler.check);
  }

  function followStorage({ by, key }: StorageChange): void {
    const isOwn = by === 'thisPage';
    together(() => {
      if (!isOwn || OWN_KEYS_HEARD.includes(String(key))) session.read();
      if (isOwn || hasEnded) return;
      tokens.read();
      soundPlace.follow();
    });
  }

  function followSession({ sessionEnded }: Session, before: Session): void {
    changed();
    if (sessionEnded || !before.sessionEnded) return;
    creation.forgetFailure();
    tokens.read();
    void askDashboard();
  }

  function followToken({ hasNewToken }: { hasNewToken: boolean }): void {
    if (!hasNewToken) {
      player.send({ type: 'timePassed' });
      return;
    }
    if (tokenState(tokens.state().token, clock.epochMs()).kind === 'active') creation.forgetFailure();
    player.send({ type: 'addressChanged', hasNewToken, hasNewBase: false });
    // Another tab created the token, perhaps for a new stream address.
    void askDashboard();
  }

  function open(): void {
    session.read();
    if (hasEnded) return;
    soundPlace.recall();
    changed();
    void askDashboard();
  }

  function end(): void {
    if (hasEnded) return;
    hasEnded = true;
    scheduler.stop();
    unsubscribe();
    player.close();
    soundPlace.close();
    changed();
  }

  const unsubscribe = storage.subscribe(followStorage);
  together(open);

  return {
    ...published,
    hasEnded: () => hasEnded,
    send: player.send,
    createToken: creation.press,
    unaskedDueAt: creation.unaskedDueAt,
    setAutoCreate: session.setAutoCreate,
    checkClock,
    peak: player.peak,
    end: () => together(end),
  };
}

import { type Account, recordsIn, type StoredToken } from '../../session/localRecords.ts';
import {
  type KeyValueStorage,
  type ObservedStorage,
  STORAGE_KEYS,
  type StorageChange,
} from '../../session/storage.ts';
import { isOnAir, type PlayerState } from '../machine/playerState.ts';
import { tokenState } from '../machine/tokenState.ts';
import { type AskDashboard, createDashboardQuestion } from './dashboardQuestion.ts';
import { createOtherTabs, type OpenChannel } from './otherTabs.ts';
import { type AskStream, createPlayer, type OpenAudio } from './player.ts';
import { createPublished } from './published.ts';
import { type Clock, createScheduler } from './scheduler.ts';
import { createSession, type Session } from './session.ts';
import { type CreateToken, type CreationOutcome, createTokenCreation } from './tokenCreation.ts';
import { createTokenStore, type Tokens } from './tokenStore.ts';

/** Storage keys whose changes by this page itself count too. Of the token only other tabs' changes are news. */
const OWN_KEYS_HEARD: string[] = [STORAGE_KEYS.account, STORAGE_KEYS.autoCreate];

export type DashboardState = Tokens & CreationOutcome & Session & { player: PlayerState };

export type Surroundings = {
  storage: ObservedStorage;
  tabStorage: KeyValueStorage;
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
  const { storage, tabStorage, openChannel, clock, ask, openAudio } = surroundings;
  const records = recordsIn(storage);
  const { together, changed, ...published } = createPublished(composed, settle);
  let hasEnded = false;

  const player = createPlayer({
    clock,
    openAudio,
    askStream: ask.stream,
    createToken: () => void creation.request(true),
    tellOtherTabs: (claim) => otherTabs.tell(claim),
    remember: (wanted) => otherTabs.remember(wanted),
    onTick: checkClock,
    together,
    changed,
  });
  const tokens = createTokenStore({ records, clock, changed, onChange: followToken });
  const creation = createTokenCreation({ account, records, clock, ask, player, tokens, together, changed });
  const askDashboard = createDashboardQuestion({ records, ask, player, creation, together });
  const otherTabs = createOtherTabs({ accountId: account.id, clock, tabStorage, openChannel, player });
  const session = createSession({ account, records, storage, onOtherAccount: end, onRead: followSession });
  const scheduler = createScheduler(clock, [tokens, otherTabs, creation, player], together);

  function composed(): DashboardState {
    return { player: player.state(), ...tokens.state(), ...creation.state(), ...session.state() };
  }

  function settle(): void {
    if (session.state().sessionEnded && !isOnAir(player.state())) end();
    if (!hasEnded) scheduler.schedule();
  }

  function checkClock(): void {
    if (!hasEnded) together(scheduler.check);
  }

  function followStorage({ by, key }: StorageChange): void {
    const isOwn = by === 'thisPage';
    together(() => {
      if (!isOwn || OWN_KEYS_HEARD.includes(String(key))) session.read();
      if (!isOwn && !hasEnded) tokens.read(false);
    });
  }

  function followSession({ sessionEnded, autoCreate }: Session, before: Session): void {
    if (sessionEnded && !before.sessionEnded) tokens.forget();
    changed();
    player.send({ type: 'autoCreateChanged', on: autoCreate && !sessionEnded });
    if (sessionEnded || !before.sessionEnded) return;
    creation.forgetFailure();
    tokens.read(true);
    void askDashboard();
  }

  function followToken(stored: StoredToken | null, isNew: boolean): void {
    const used = player.state().token;
    if (isNew && tokenState(stored, clock.epochMs()).kind === 'active') creation.forgetFailure();
    // Another tab created the token, perhaps for a new stream address.
    if (isNew && stored?.token !== used?.token) void askDashboard();
    if (stored !== null) player.send({ type: 'tokenLearned', token: stored });
    // The stored token was deleted when a session ended. The player's still opens connections, so store it again.
    else if (used !== null && !session.state().sessionEnded) tokens.keep(used);
  }

  function open(): void {
    const { stored } = tokens.state();
    if (stored !== null) player.send({ type: 'tokenLearned', token: stored });
    session.read();
    if (hasEnded) return;
    otherTabs.recall();
    changed();
    void askDashboard();
  }

  function end(): void {
    if (hasEnded) return;
    hasEnded = true;
    scheduler.stop();
    unsubscribe();
    player.close();
    otherTabs.close();
    changed();
  }

  const unsubscribe = storage.subscribe(followStorage);
  together(open);

  return {
    ...published,
    hasEnded: () => hasEnded,
    send: player.send,
    createToken: creation.press,
    setAutoCreate: session.setAutoCreate,
    checkClock,
    peak: player.peak,
    end: () => together(end),
  };
}

import { type KeyValueStorage, TAB_STORAGE_KEYS } from '../../session/storage.ts';
import type { Claim } from '../machine/playerState.ts';
import { succeeds } from '../succeeds.ts';
import type { Player } from './player.ts';
import { type Clock, NEVER } from './scheduler.ts';

const ORIGINAL_ANSWERS_WITHIN_MS = 1_000;

/**
 * A message between tabs. `asks`: is the page with this id still open? If so, it answers `lives`. A page that wants sound
 * itself answers `wants`, not its claim, which may be old by the time the message is read.
 */
export type TabMessage = Claim | 'stop' | { asks: string } | { lives: string } | { wants: string };

type Channel = {
  postMessage(message: TabMessage): void;
  close(): void;
};

export type OpenChannel = (onMessage: (message: TabMessage) => void) => Channel;

type OtherTabsOptions = {
  accountId: string;
  clock: Clock;
  tabStorage: KeyValueStorage;
  openChannel: OpenChannel;
  player: Player;
};

/** Keeps two tabs from playing at once, and remembers over a reload that this tab's sound was wanted. */
export function createOtherTabs({ accountId, clock, tabStorage, openChannel, player }: OtherTabsOptions) {
  const id = String(clock.chance());
  let predecessor: string | null = null;
  let recallAt = NEVER;
  /** Null where the browser refuses it, as with blocked cookies. */
  let channel: Channel | null = null;
  succeeds(() => {
    channel = openChannel(receive);
  });

  function post(message: TabMessage): void {
    succeeds(() => channel?.postMessage(message));
  }

  function receive(message: TabMessage): void {
    if (message === 'stop') {
      player.send({ type: 'otherTabTold', claim: null });
    } else if ('lives' in message) {
      if (message.lives === predecessor) treatAsCopy();
    } else if ('asks' in message) {
      // Until this page stores its own id, a copy of this tab finds the predecessor's id and asks for that one.
      if (message.asks === id || message.asks === predecessor) post({ lives: message.asks });
      if (player.state().claim !== null) post({ wants: message.asks });
    } else if ('wants' in message) {
      if (message.wants === predecessor) forgetRecall();
    } else {
      forgetRecall();
      player.send({ type: 'otherTabTold', claim: message });
    }
  }

  /** The sound that this page would recall has moved to another tab. */
  function forgetRecall(): void {
    if (recallAt !== NEVER) remember(false);
  }

  function remember(wanted: boolean): void {
    recallAt = NEVER;
    if (wanted) {
      tabStorage.setItem(TAB_STORAGE_KEYS.soundWanted, accountId);
      tabStorage.setItem(TAB_STORAGE_KEYS.soundWantedBy, id);
    } else {
      for (const key of Object.values(TAB_STORAGE_KEYS)) tabStorage.removeItem(key);
    }
  }

  /**
   * After a reload, sound that was wanted is wanted again. A copied tab finds the same record, so this page first asks
   * whether the page that wrote it is still open.
   */
  function recall(): void {
    if (tabStorage.getItem(TAB_STORAGE_KEYS.soundWanted) !== accountId) return;
    predecessor = tabStorage.getItem(TAB_STORAGE_KEYS.soundWantedBy);
    if (predecessor === null) {
      player.send({ type: 'pageReloaded' });
      return;
    }
    recallAt = clock.monotonicMs() + ORIGINAL_ANSWERS_WITHIN_MS;
    post({ asks: predecessor });
  }

  function treatAsCopy(): void {
    predecessor = null;
    if (player.state().obstacle === 'reloaded') player.send({ type: 'stopped' });
    else if (!player.state().wanted) remember(false);
  }

  return {
    tell: (claim: Claim | null) => post(claim ?? 'stop'),
    remember,
    recall,
    dueAt: () => recallAt,
    onTime(): void {
      recallAt = NEVER;
      player.send({ type: 'pageReloaded' });
    },
    close: () => channel?.close(),
  };
}

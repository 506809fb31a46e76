import { type KeyValueStorage, STORAGE_KEYS, TAB_STORAGE_KEYS } from '../../session/storage.ts';
import type { OlderPages } from './olderPages.ts';
import type { Player } from './player.ts';
import { type Clock, NEVER } from './scheduler.ts';

/**
 * Asks for a lock that one page at a time may hold.
 * @param onAnswer - called once and later: false if another page holds the lock, true also where there are no locks
 * @returns a function that releases it
 */
export type HoldLock = (name: string, onAnswer?: (isHeld: boolean) => void) => () => void;

/** Which page played last, and whether sound is wanted there. */
type SoundRecord = { page: string; isWanted: boolean };

export type SoundPlace = {
  /** Of all pages, this one was the last to play. */
  playedLast: boolean;
};

type SoundPlaceOptions = {
  accountId: string;
  clock: Clock;
  storage: KeyValueStorage;
  tabStorage: KeyValueStorage;
  holdLock: HoldLock;
  olderPages: OlderPages;
  player: Player;
  changed(): void;
};

const WANTED = ' wanted';
/** A copied tab asks for the lock for a second. If it got the lock, it would take this page for a closed one. */
const RELEASED_AFTER_MS = 2_000;

/**
 * Keeps two tabs from playing at once, and remembers over a reload that this tab's sound was wanted. One record says in
 * which page the sound is: the page that wrote it last.
 */
export function createSoundPlace(options: SoundPlaceOptions) {
  const { accountId, clock, storage, tabStorage, holdLock, olderPages, player, changed } = options;
  const id = String(clock.chance());
  let known = read();
  let isPlaying = false;
  let isRecalling = false;
  /** This page's lock, and that of the page before it in the tab. A page that finds one held is in a copied tab. */
  const locks = new Map<string, () => void>();
  let releaseAt = NEVER;

  function read(): SoundRecord | null {
    const text = storage.getItem(STORAGE_KEYS.soundIn);
    return text === null ? null : { page: text.replace(WANTED, ''), isWanted: text.endsWith(WANTED) };
  }

  function write(isWanted: boolean): void {
    storage.setItem(STORAGE_KEYS.soundIn, id + (isWanted ? WANTED : ''));
    known = { page: id, isWanted };
    changed();
  }

  /** Another tab may have written the record. */
  function follow(): void {
    const before = known;
    known = read();
    if (known === null || (known.page === before?.page && known.isWanted === before.isWanted)) return;
    changed();
    if (known.page === id) return;
    // That tab paused before it heard of the sound here.
    if (isPlaying && !known.isWanted) write(true);
    else player.send({ type: 'otherTabChanged', isWanted: known.isWanted });
  }

  /** @param isWanted - sound plays here, or will without a press */
  function note(isWanted: boolean): void {
    isPlaying = isWanted;
    if (isWanted || read()?.page === id) {
      write(isWanted);
      olderPages.tell(isWanted);
    }
  }

  function remember(wanted: boolean): void {
    isRecalling = false;
    if (wanted) {
      tabStorage.setItem(TAB_STORAGE_KEYS.soundWanted, accountId);
      tabStorage.setItem(TAB_STORAGE_KEYS.soundWantedBy, id);
      releaseAt = NEVER;
      if (!locks.has(id)) locks.set(id, holdLock(id));
    } else {
      for (const key of Object.values(TAB_STORAGE_KEYS)) tabStorage.removeItem(key);
      releaseAt = clock.monotonicMs() + RELEASED_AFTER_MS;
      changed();
    }
  }

  function releaseLocks(): void {
    releaseAt = NEVER;
    for (const release of locks.values()) release();
    locks.clear();
  }

  /** After a reload, sound that was wanted is wanted again. A copied tab finds the same record, and the lock held. */
  function recall(): void {
    if (tabStorage.getItem(TAB_STORAGE_KEYS.soundWanted) !== accountId) return;
    const predecessor = tabStorage.getItem(TAB_STORAGE_KEYS.soundWantedBy);
    if (predecessor === null) {
      player.send({ type: 'pageReloaded' });
      return;
    }
    isRecalling = true;
    const onAnswer = (isHeld: boolean) => {
      if (!isRecalling) return;
      isRecalling = false;
      const hasMoved = known?.isWanted === true && known.page !== predecessor;
      if (isHeld && !hasMoved) player.send({ type: 'pageReloaded' });
      else remember(false);
    };
    locks.set(predecessor, holdLock(predecessor, onAnswer));
  }

  /** An older page plays, or stopped. */
  function followOlder(isWanted: boolean): void {
    if (isWanted && isRecalling) remember(false);
    player.send({ type: 'otherTabChanged', isWanted });
  }

  olderPages.listen(followOlder);

  return {
    state: (): SoundPlace => ({ playedLast: known?.page === id }),
    follow,
    note,
    remember,
    recall,
    dueAt: () => releaseAt,
    onTime: releaseLocks,
    close(): void {
      isRecalling = false;
      releaseLocks();
      olderPages.close();
    },
  };
}

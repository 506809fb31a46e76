import type { CreateTokenMutation, DashboardQuery } from '../generated/graphql.ts';
import type { Failure } from './failure.ts';
import type { ConnectionEvent } from './player/connectionEvents.ts';
import type { AudioEffect } from './player/playerEffects.ts';
import type { StreamAnswer } from './player/streamAnswer.ts';
import type { KeyValueStorage, ObservedStorage } from './storageKeys.ts';

export type Clock = {
  epochMs(): number;
  monotonicMs(): number;
  random(): number;
  after(ms: number, act: () => void): () => void;
  /** Calls `onTick` several times a second. Returns a cleanup function. */
  startTicks(onTick: () => void): () => void;
};

export type StreamAudio = {
  run(effect: AudioEffect): void;
  /** Call it several times a second: for some changes an element fires no event. */
  check(): void;
  /** Returns the peak of the last sound, from 0 to 1, before the volume applies; null if nothing is measured. */
  peak(): number | null;
  close(): void;
};

/**
 * Asks for a lock that one page at a time may hold.
 * @param onAnswer - called once and later: false if another page holds the lock, true also where there are no locks
 * @returns a function that releases it
 */
export type HoldLock = (name: string, onAnswer?: (isGranted: boolean) => void) => () => void;

export type CreatedToken = CreateTokenMutation['createToken'];

export type Requests = {
  createToken(isAutomatic: boolean): Promise<CreatedToken | { failure: Failure }>;
  /** Repeats a temporary failure; resolves to null after any other. */
  dashboard(): Promise<DashboardQuery | null>;
};

/** The browser and the server, as the page needs them. */
export type Environment = {
  storage: ObservedStorage;
  tabStorage: KeyValueStorage;
  clock: Clock;
  holdLock: HoldLock;
  /** @param onDeviceReturn - called when there is something to play on again, such as headphones */
  openAudio(onEvent: (id: number, event: ConnectionEvent) => void, onDeviceReturn: () => void): StreamAudio;
  askStream(url: string): Promise<StreamAnswer>;
  track(name: 'play' | 'token_created'): void;
};

import { describe, expect, test } from 'vitest';
import {
  buttonAction,
  PLAYER_AT_REST,
  type PlayerAction,
  type PlayerState,
  playerNotice,
  playerReducer,
  playerStatus,
} from '../../../client/dashboard/playerState.ts';

const stateAfter = (...actions: PlayerAction[]): PlayerState => actions.reduce(playerReducer, PLAYER_AT_REST);

const playRequested = { type: 'playRequested' } as const;
const pauseRequested = { type: 'pauseRequested' } as const;
const soundStarted = { type: 'soundStarted' } as const;
const soundRanDry = { type: 'soundRanDry' } as const;
const playBlocked = { type: 'playBlocked' } as const;
const lost = { type: 'connectionLost', canReconnect: true } as const;
const lostForGood = { type: 'connectionLost', canReconnect: false } as const;

describe('the state', () => {
  test('is connecting, not playing, until sound plays', () => {
    expect(stateAfter(playRequested)).toEqual({ kind: 'connecting' });
    expect(stateAfter(playRequested, soundStarted)).toEqual({ kind: 'playing' });
  });

  test('is connecting again while the sound waits for data', () => {
    expect(stateAfter(playRequested, soundStarted, soundRanDry)).toEqual({ kind: 'connecting' });
    expect(stateAfter(playRequested, soundStarted, soundRanDry, soundStarted)).toEqual({ kind: 'playing' });
  });

  test('alternates between playing and paused with each click', () => {
    expect(stateAfter(playRequested, soundStarted, pauseRequested)).toEqual(PLAYER_AT_REST);
    expect(stateAfter(playRequested, soundStarted, pauseRequested, playRequested).kind).toBe('connecting');
  });

  test('is paused when the browser refuses to start sound', () => {
    expect(stateAfter(playRequested, playBlocked)).toEqual({ kind: 'paused', because: 'blocked' });
  });

  test('is reconnecting, counting the attempts, while a token can open a connection', () => {
    expect(stateAfter(playRequested, soundStarted, lost)).toEqual({ kind: 'reconnecting', attempt: 1 });
    expect(stateAfter(playRequested, soundStarted, lost, lost, lost)).toEqual({
      kind: 'reconnecting',
      attempt: 3,
    });
  });

  test('goes on counting while a new connection waits for its first data', () => {
    expect(stateAfter(playRequested, lost, soundRanDry, lost)).toEqual({ kind: 'reconnecting', attempt: 2 });
  });

  test('counts from one again after sound came back', () => {
    expect(stateAfter(playRequested, lost, lost, soundStarted, lost)).toEqual({
      kind: 'reconnecting',
      attempt: 1,
    });
  });

  test('is paused when the stream is lost and no token can open a connection', () => {
    expect(stateAfter(playRequested, soundStarted, lostForGood)).toEqual({ kind: 'paused', because: 'lost' });
    expect(stateAfter(playRequested, lost, lostForGood)).toEqual({ kind: 'paused', because: 'lost' });
  });

  test('stays paused whatever a connection let go of still reports', () => {
    for (const late of [soundStarted, soundRanDry, playBlocked, lost, lostForGood]) {
      expect(stateAfter(playRequested, pauseRequested, late)).toEqual(PLAYER_AT_REST);
    }
  });

  test('forgets what went wrong when a pause is asked for, as a new token does', () => {
    expect(stateAfter(playRequested, lostForGood, pauseRequested)).toEqual(PLAYER_AT_REST);
  });
});

describe('the button', () => {
  const states = {
    connecting: stateAfter(playRequested),
    playing: stateAfter(playRequested, soundStarted),
    reconnecting: stateAfter(playRequested, lost),
  };

  test('plays with an active token', () => {
    expect(buttonAction(PLAYER_AT_REST, true)).toBe('play');
    expect(playerStatus(PLAYER_AT_REST, true)).toBe('paused');
  });

  test('does nothing without one, and says that a token is needed', () => {
    expect(buttonAction(PLAYER_AT_REST, false)).toBe('none');
    expect(playerStatus(PLAYER_AT_REST, false)).toBe('needsToken');
  });

  test.each(Object.entries(states))('while %s pauses, also after the token expired', (status, state) => {
    for (const tokenActive of [true, false]) {
      expect(buttonAction(state, tokenActive)).toBe('pause');
      expect(playerStatus(state, tokenActive)).toBe(status);
    }
  });
});

describe('the notice', () => {
  test('says nothing while all goes well', () => {
    for (const state of [
      PLAYER_AT_REST,
      stateAfter(playRequested),
      stateAfter(playRequested, soundStarted),
    ]) {
      expect(playerNotice(state)).toBeNull();
    }
  });

  test('says why it paused by itself', () => {
    expect(playerNotice(stateAfter(playRequested, playBlocked))).toBe('blocked');
    expect(playerNotice(stateAfter(playRequested, lostForGood))).toBe('lost');
  });

  test('says that it tries again, and after a while that it takes long', () => {
    expect(playerNotice(stateAfter(playRequested, lost))).toBe('retrying');
    expect(playerNotice(stateAfter(playRequested, lost, lost, lost, lost))).toBe('struggling');
  });
});

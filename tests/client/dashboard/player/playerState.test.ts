import { describe, expect, test } from 'vitest';
import {
  buttonAction,
  isAtRest,
  PLAYER_AT_REST,
  type PlayerAction,
  type PlayerState,
  playerNotice,
  playerReducer,
  playerStatus,
} from '../../../../client/dashboard/player/playerState.ts';

const stateAfter = (...actions: PlayerAction[]): PlayerState => actions.reduce(playerReducer, PLAYER_AT_REST);

const playRequested = { type: 'playRequested' } as const;
const pauseRequested = { type: 'pauseRequested' } as const;
const soundStarted = { type: 'soundStarted' } as const;
const soundRanDry = { type: 'soundRanDry' } as const;
const playBlocked = { type: 'playBlocked' } as const;
const lost = { type: 'connectionLost', canReconnect: true, refusal: 'none', soundLasted: false } as const;
const lostForGood = {
  type: 'connectionLost',
  canReconnect: false,
  refusal: 'none',
  soundLasted: false,
} as const;
const refused = {
  type: 'connectionLost',
  canReconnect: true,
  refusal: 'certain',
  soundLasted: false,
} as const;
const likelyRefused = {
  type: 'connectionLost',
  canReconnect: true,
  refusal: 'likely',
  soundLasted: false,
} as const;
const lostAfterLong = { ...lost, soundLasted: true } as const;
const holdRequested = { type: 'holdRequested' } as const;
const holdEnded = { type: 'holdEnded', connected: true } as const;
const tokenChanged = { type: 'tokenChanged' } as const;
const otherTabPlayed = { type: 'otherTabPlayed' } as const;
const otherTabStopped = { type: 'otherTabStopped' } as const;

describe('the state', () => {
  test('is connecting, not playing, until sound plays', () => {
    expect(stateAfter(playRequested)).toEqual({ kind: 'connecting' });
    expect(stateAfter(playRequested, soundStarted)).toMatchObject({ kind: 'playing' });
  });

  test('is buffering while the sound waits for data', () => {
    expect(stateAfter(playRequested, soundStarted, soundRanDry)).toMatchObject({ kind: 'buffering' });
    expect(stateAfter(playRequested, soundStarted, soundRanDry, soundStarted)).toMatchObject({
      kind: 'playing',
    });
  });

  test('alternates between playing and paused with each click', () => {
    expect(stateAfter(playRequested, soundStarted, pauseRequested)).toEqual(PLAYER_AT_REST);
    expect(stateAfter(playRequested, soundStarted, pauseRequested, playRequested).kind).toBe('connecting');
  });

  test('is paused when the browser refuses to start sound', () => {
    expect(stateAfter(playRequested, playBlocked)).toEqual({ kind: 'paused', because: 'blocked' });
  });

  test('is reconnecting, counting the attempts, while a token can open a connection', () => {
    expect(stateAfter(playRequested, soundStarted, lost)).toMatchObject({
      kind: 'reconnecting',
      attempt: 1,
    });
    expect(stateAfter(playRequested, soundStarted, soundRanDry, lost, lost, lost)).toMatchObject({
      kind: 'reconnecting',
      attempt: 3,
    });
  });

  test('goes on counting while a new connection waits for its first data', () => {
    expect(stateAfter(playRequested, lost, soundRanDry, lost)).toMatchObject({
      kind: 'reconnecting',
      attempt: 2,
    });
  });

  test('counts from one again after sound came back to stay, and goes on counting before', () => {
    const soundsAgain = [playRequested, lost, lost, soundStarted, soundRanDry, soundStarted];
    expect(stateAfter(...soundsAgain, lostAfterLong)).toMatchObject({ kind: 'reconnecting', attempt: 1 });
    expect(stateAfter(...soundsAgain, lost)).toMatchObject({ kind: 'reconnecting', attempt: 3 });
  });

  test('is paused while a token is created, and goes on when none comes of it', () => {
    for (const before of [[], [soundStarted], [soundStarted, soundRanDry], [lost]]) {
      const held = [playRequested, ...before, holdRequested];
      expect(stateAfter(...held)).toEqual({ kind: 'paused', because: 'creation' });
      expect(stateAfter(...held, holdEnded).kind).toBe('buffering');
      expect(stateAfter(...held, { ...holdEnded, connected: false }).kind).toBe('connecting');
    }
  });

  test('stays as it is after a failed creation that paused nothing, or was overruled', () => {
    expect(stateAfter(holdRequested, holdEnded)).toEqual(PLAYER_AT_REST);
    expect(stateAfter(playRequested, holdRequested, pauseRequested, holdEnded)).toEqual(PLAYER_AT_REST);
    expect(stateAfter(playRequested, holdRequested, otherTabPlayed, holdEnded)).toEqual({
      kind: 'paused',
      because: 'otherTab',
    });
  });

  test('forgets what was said of the old token when there is a new one, and nothing else', () => {
    expect(stateAfter(playRequested, refused, tokenChanged)).toEqual(PLAYER_AT_REST);
    expect(stateAfter(playRequested, lostForGood, tokenChanged)).toEqual(PLAYER_AT_REST);
    for (const before of [
      [playBlocked],
      [otherTabPlayed],
      [holdRequested],
      [soundStarted],
      [lost],
    ] satisfies PlayerAction[][]) {
      const state = stateAfter(playRequested, ...before);
      expect(playerReducer(state, tokenChanged)).toBe(state);
    }
  });

  test('is paused when the stream is lost and no token can open a connection', () => {
    expect(stateAfter(playRequested, soundStarted, lostForGood)).toEqual({ kind: 'paused', because: 'lost' });
    expect(stateAfter(playRequested, lost, lostForGood)).toEqual({ kind: 'paused', because: 'lost' });
  });

  test('is refused when the provider says so for certain', () => {
    expect(stateAfter(playRequested, refused)).toEqual({ kind: 'refused' });
    expect(stateAfter(playRequested, soundStarted, lost, refused)).toEqual({ kind: 'refused' });
  });

  test('is refused after the fourth likely refusal in a row, and not before', () => {
    const three = [playRequested, likelyRefused, likelyRefused, likelyRefused];
    expect(stateAfter(...three)).toMatchObject({ kind: 'reconnecting', attempt: 3 });
    expect(stateAfter(...three, likelyRefused)).toEqual({ kind: 'refused' });
    expect(stateAfter(...three, lost, likelyRefused)).toMatchObject({ kind: 'reconnecting', attempt: 5 });
    expect(stateAfter(...three, soundStarted, likelyRefused)).toMatchObject({ kind: 'reconnecting' });
  });

  test('is lost, not refused, once no token can open a connection', () => {
    expect(stateAfter(playRequested, { ...refused, canReconnect: false })).toEqual({
      kind: 'paused',
      because: 'lost',
    });
  });

  test('connects anew after a refusal when play is asked for', () => {
    expect(stateAfter(playRequested, refused, playRequested)).toEqual({ kind: 'connecting' });
  });

  test('is paused when another tab plays, and forgets it when that one stops', () => {
    const taken = [playRequested, soundStarted, otherTabPlayed];
    expect(stateAfter(...taken)).toEqual({ kind: 'paused', because: 'otherTab' });
    expect(stateAfter(...taken, otherTabStopped)).toEqual(PLAYER_AT_REST);
    expect(stateAfter(playRequested, soundStarted, otherTabStopped)).toMatchObject({ kind: 'playing' });
  });

  test('still tells that another tab plays after a pause, which a new token brings', () => {
    const because = { kind: 'paused', because: 'otherTab' };
    expect(stateAfter(playRequested, otherTabPlayed, pauseRequested, tokenChanged)).toEqual(because);
    expect(stateAfter(playRequested, holdRequested, otherTabPlayed, pauseRequested)).toEqual(because);
    expect(stateAfter(playRequested, otherTabPlayed, pauseRequested, otherTabStopped)).toEqual(
      PLAYER_AT_REST,
    );
  });

  test('stays at rest whatever a connection let go of still reports', () => {
    for (const late of [soundStarted, soundRanDry, playBlocked, lost, lostForGood, refused, otherTabPlayed]) {
      expect(stateAfter(playRequested, pauseRequested, late)).toEqual(PLAYER_AT_REST);
      expect(stateAfter(playRequested, refused, late)).toEqual({ kind: 'refused' });
    }
  });

  test('stays paused for its own reason when another tab stops', () => {
    expect(stateAfter(playRequested, playBlocked, otherTabStopped)).toEqual({
      kind: 'paused',
      because: 'blocked',
    });
  });

  test('forgets what went wrong when a pause is asked for, as a new token does', () => {
    expect(stateAfter(playRequested, lostForGood, pauseRequested)).toEqual(PLAYER_AT_REST);
    expect(stateAfter(playRequested, refused, pauseRequested)).toEqual(PLAYER_AT_REST);
  });

  test('is at rest when nothing plays nor is going to', () => {
    expect([PLAYER_AT_REST, stateAfter(playRequested, refused)].every(isAtRest)).toBe(true);
    expect([stateAfter(playRequested), stateAfter(playRequested, lost)].some(isAtRest)).toBe(false);
  });
});

describe('the button', () => {
  const states = {
    connecting: stateAfter(playRequested),
    playing: stateAfter(playRequested, soundStarted),
    buffering: stateAfter(playRequested, soundStarted, soundRanDry),
    reconnecting: stateAfter(playRequested, lost),
  };

  test('plays with an active token', () => {
    expect(buttonAction(PLAYER_AT_REST, true)).toBe('play');
    expect(playerStatus(PLAYER_AT_REST, true)).toBe('paused');
  });

  test('plays once more after a refusal', () => {
    expect(buttonAction(stateAfter(playRequested, refused), true)).toBe('play');
    expect(playerStatus(stateAfter(playRequested, refused), true)).toBe('refused');
    expect(playerStatus(stateAfter(playRequested, refused), false)).toBe('needsToken');
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
  const offline = { offline: true, serverSilent: true };
  const noTrouble = { offline: false, serverSilent: false };
  const noticeAfter = (...actions: PlayerAction[]) => playerNotice(stateAfter(...actions), noTrouble);

  test('says nothing while all goes well', () => {
    expect(noticeAfter()).toBeNull();
    expect(noticeAfter(playRequested)).toBeNull();
    expect(noticeAfter(playRequested, soundStarted)).toBeNull();
    expect(noticeAfter(playRequested, soundStarted, soundRanDry)).toBeNull();
    expect(noticeAfter(playRequested, soundStarted, holdRequested)).toBeNull();
  });

  test('says why it stopped by itself', () => {
    expect(noticeAfter(playRequested, playBlocked)).toBe('blocked');
    expect(noticeAfter(playRequested, lostForGood)).toBe('lost');
    expect(noticeAfter(playRequested, otherTabPlayed)).toBe('otherTab');
    expect(noticeAfter(playRequested, refused)).toBe('refused');
  });

  test('says that it tries again, and after a while that it takes long', () => {
    expect(noticeAfter(playRequested, lost)).toBe('retrying');
    expect(noticeAfter(playRequested, lost, lost, lost, lost)).toBe('struggling');
  });

  test('says what looks like a refusal, not that the connection was lost', () => {
    expect(noticeAfter(playRequested, likelyRefused)).toBe('likelyRefused');
  });

  test('says at once that there is no network, while there is something to play', () => {
    for (const actions of [[], [soundStarted, soundRanDry], [lost]]) {
      expect(playerNotice(stateAfter(playRequested, ...actions), offline)).toBe('offline');
    }
  });

  test('says without a network that what sounds may stop, not that it did', () => {
    expect(playerNotice(stateAfter(playRequested, soundStarted), offline)).toBe('offlineSounding');
  });

  test('says at a pause too that there is no network, unless there is more to say', () => {
    expect(playerNotice(PLAYER_AT_REST, offline)).toBe('offlineAtRest');
    expect(playerNotice(stateAfter(playRequested, holdRequested), offline)).toBe('offlineAtRest');
    expect(playerNotice(stateAfter(playRequested, lostForGood), offline)).toBe('lost');
  });

  test('says that our server does not answer, while the stream’s address is waited for', () => {
    const serverSilent = { offline: false, serverSilent: true };
    expect(playerNotice(stateAfter(playRequested), serverSilent)).toBe('serverSilent');
    expect(playerNotice(PLAYER_AT_REST, serverSilent)).toBeNull();
  });
});

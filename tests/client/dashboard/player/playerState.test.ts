import { describe, expect, test } from 'vitest';
import { type Dropout, NO_DROPOUT } from '../../../../client/dashboard/player/dropout.ts';
import {
  buttonAction,
  isAtRest,
  outlivesToken,
  PLAYER_AT_REST,
  type PlayerAction,
  type PlayerNotice,
  type PlayerState,
  playerNotice,
  playerReducer,
  playerStatus,
} from '../../../../client/dashboard/player/playerState.ts';
import { soundOf } from '../../../../client/dashboard/sound.ts';

const play = { type: 'playRequested' } as const;
const pause = { type: 'pauseRequested' } as const;
const sounds = { type: 'soundStarted' } as const;
const runsDry = { type: 'dataAwaited' } as const;
const supplyEnds = { type: 'supplyEnded' } as const;
const supplyResumes = { type: 'supplyResumed' } as const;
const fallsSilent = { type: 'silenceBegan' } as const;
const silenceEnds = { type: 'silenceEnded' } as const;
const fallsBehind = { type: 'delayMeasured', behindSeconds: 12 } as const;
const blocked = { type: 'playBlocked' } as const;
const lost = { type: 'connectionLost', canReconnect: true, cause: 'none', soundLasted: false } as const;
const lostForGood = { ...lost, canReconnect: false } as const;
const lostAfterLong = { ...lost, soundLasted: true } as const;
const refused = { ...lost, cause: 'certain' } as const;
const likelyRefused = { ...lost, cause: 'likely' } as const;
const noOutput = { ...lost, cause: 'noOutput' } as const;
const hold = { type: 'holdRequested' } as const;
const holdEnds = { type: 'holdEnded', connected: true } as const;
const holdEndsUnconnected = { type: 'holdEnded', connected: false } as const;
const newToken = { type: 'tokenChanged' } as const;
const otherTabPlays = { type: 'otherTabPlayed' } as const;
const otherTabStops = { type: 'otherTabStopped' } as const;

const stateAfter = (...actions: PlayerAction[]): PlayerState => actions.reduce(playerReducer, PLAYER_AT_REST);
const paused = (because: 'creation' | 'blocked' | 'lost' | 'otherTab') => ({ kind: 'paused', because });

const soundsAgain = [play, lost, lost, sounds, runsDry, sounds];
const refusedThrice = [play, likelyRefused, likelyRefused, likelyRefused];

describe('the player’s state is', () => {
  test.each<[string, PlayerAction[], object]>([
    ['connecting, not playing, until sound plays', [play], { kind: 'connecting' }],
    ['playing once sound plays', [play, sounds], { kind: 'playing' }],
    ['buffering while the sound waits for data', [play, sounds, runsDry], { kind: 'buffering' }],
    ['dry while only buffered sound is left', [play, sounds, supplyEnds], { kind: 'dry' }],
    ['playing once data arrives again', [play, sounds, supplyEnds, supplyResumes], { kind: 'playing' }],
    ['silent while the programme is', [play, sounds, fallsSilent], { kind: 'silent' }],
    ['silent still over a new connection', [play, sounds, fallsSilent, sounds], { kind: 'silent' }],
    [
      'playing when the programme is heard again',
      [play, sounds, fallsSilent, silenceEnds],
      { kind: 'playing' },
    ],
    ['playing some seconds behind live', [play, sounds, fallsBehind], { kind: 'playing', behindSeconds: 12 }],
    [
      'playing at the live edge over a new connection',
      [play, sounds, fallsBehind, sounds],
      { behindSeconds: 0 },
    ],
    ['paused after a pause', [play, sounds, pause], PLAYER_AT_REST],
    ['paused when the browser refuses to start sound', [play, blocked], paused('blocked')],
    ['reconnecting when the stream is lost', [play, sounds, lost], { kind: 'reconnecting', attempt: 1 }],
    [
      'reconnecting, counting the attempts',
      [play, sounds, runsDry, lost, lost, lost],
      { kind: 'reconnecting', attempt: 3 },
    ],
    [
      'reconnecting, counting on while a new connection waits for its first data',
      [play, lost, runsDry, lost],
      { kind: 'reconnecting', attempt: 2 },
    ],
    [
      'reconnecting, counting on after sound that did not last',
      [...soundsAgain, lost],
      { kind: 'reconnecting', attempt: 3 },
    ],
    [
      'reconnecting, counting from one after sound that lasted',
      [...soundsAgain, lostAfterLong],
      { kind: 'reconnecting', attempt: 1 },
    ],
    ['paused when no token can open a connection', [play, sounds, lostForGood], paused('lost')],
    ['paused when the token expires while reconnecting', [play, lost, lostForGood], paused('lost')],
    ['refused when the provider says so for certain', [play, refused], { kind: 'refused' }],
    [
      'refused when the provider says so while reconnecting',
      [play, sounds, lost, refused],
      { kind: 'refused' },
    ],
    [
      'lost, not refused, when a refused token has expired',
      [play, { ...refused, canReconnect: false }],
      paused('lost'),
    ],
    ['reconnecting after three likely refusals', refusedThrice, { kind: 'reconnecting', attempt: 3 }],
    ['refused after the fourth likely refusal', [...refusedThrice, likelyRefused], { kind: 'refused' }],
    [
      'reconnecting when the likely refusals were interrupted by a fault',
      [...refusedThrice, lost, likelyRefused],
      { kind: 'reconnecting', attempt: 5 },
    ],
    [
      'reconnecting when the likely refusals were interrupted by sound',
      [...refusedThrice, sounds, likelyRefused],
      { kind: 'reconnecting' },
    ],
    ['connecting when play is asked for after a refusal', [play, refused, play], { kind: 'connecting' }],
    ['paused after a pause of a refused stream', [play, refused, pause], PLAYER_AT_REST],
    ['paused when another tab plays', [play, sounds, otherTabPlays], paused('otherTab')],
    [
      'paused for the other tab’s sake after a pause and a new token',
      [play, otherTabPlays, pause, newToken],
      paused('otherTab'),
    ],
    [
      'paused for the other tab’s sake after a pause during a creation',
      [play, hold, otherTabPlays, pause],
      paused('otherTab'),
    ],
    ['at rest once the other tab stops', [play, sounds, otherTabPlays, otherTabStops], PLAYER_AT_REST],
    ['playing when another tab stops', [play, sounds, otherTabStops], { kind: 'playing' }],
    [
      'paused because the browser refused, when another tab stops',
      [play, blocked, otherTabStops],
      paused('blocked'),
    ],
    ['at rest after a failed creation that paused nothing', [hold, holdEnds], PLAYER_AT_REST],
    ['paused when a creation failed after a pause', [play, hold, pause, holdEnds], PLAYER_AT_REST],
    [
      'paused when another tab played during the creation',
      [play, hold, otherTabPlays, holdEnds],
      paused('otherTab'),
    ],
    ['at rest when a new token follows a refusal', [play, refused, newToken], PLAYER_AT_REST],
    ['at rest when a new token follows a loss', [play, lostForGood, newToken], PLAYER_AT_REST],
  ])('%s', (_name, actions, state) => {
    expect(stateAfter(...actions)).toMatchObject(state);
  });

  test.each<[string, PlayerAction[]]>([
    ['connecting', [play]],
    ['playing', [play, sounds]],
    ['buffering', [play, sounds, runsDry]],
    ['reconnecting', [play, lost]],
  ])('paused while a token is created, and goes on if the creation fails: %s', (_name, before) => {
    expect(stateAfter(...before, hold)).toEqual(paused('creation'));
    expect(stateAfter(...before, hold, holdEnds).kind).toBe('buffering');
    expect(stateAfter(...before, hold, holdEndsUnconnected).kind).toBe('connecting');
  });

  test.each([[blocked], [otherTabPlays], [hold], [sounds], [lost]])(
    'not changed by a new token after %o',
    (before) => {
      const state = stateAfter(play, before);
      expect(playerReducer(state, newToken)).toBe(state);
    },
  );

  test.each([
    [sounds],
    [runsDry],
    [supplyEnds],
    [fallsSilent],
    [fallsBehind],
    [blocked],
    [lost],
    [lostForGood],
    [refused],
    [otherTabPlays],
  ])('not changed at rest by a late report of a closed connection: %o', (late) => {
    expect(stateAfter(play, pause, late)).toEqual(PLAYER_AT_REST);
    expect(stateAfter(play, refused, late)).toEqual({ kind: 'refused' });
  });

  test('at rest when nothing plays and nothing is about to', () => {
    expect([PLAYER_AT_REST, stateAfter(play, refused)].every(isAtRest)).toBe(true);
    expect([stateAfter(play), stateAfter(play, lost)].some(isAtRest)).toBe(false);
  });
});

describe('the button', () => {
  test.each<[string, PlayerAction[], boolean, string, string]>([
    ['plays with an active token', [], true, 'play', 'paused'],
    [
      'does nothing without an active token, and says that a token is needed',
      [],
      false,
      'none',
      'needsToken',
    ],
    ['plays again after a refusal', [play, refused], true, 'play', 'refused'],
    ['does nothing after a refusal without a token', [play, refused], false, 'none', 'needsToken'],
    ['pauses while connecting', [play], true, 'pause', 'connecting'],
    ['pauses while playing', [play, sounds], true, 'pause', 'playing'],
    ['pauses while buffering', [play, sounds, runsDry], true, 'pause', 'buffering'],
    ['pauses while reconnecting', [play, lost], true, 'pause', 'reconnecting'],
    ['pauses while playing after the token expired', [play, sounds], false, 'pause', 'playing'],
    ['pauses while reconnecting after the token expired', [play, lost], false, 'pause', 'reconnecting'],
  ])('%s', (_name, actions, tokenActive, action, status) => {
    expect(buttonAction(stateAfter(...actions), tokenActive)).toBe(action);
    expect(playerStatus(stateAfter(...actions), NO_DROPOUT, tokenActive)).toBe(status);
  });
});

type Circumstances = Parameters<typeof playerNotice>[1];

describe('the notice', () => {
  const noTrouble: Circumstances = { offline: false, serverSilent: false, token: 'active' };
  const offline = { ...noTrouble, offline: true, serverSilent: true };
  const serverSilent = { ...noTrouble, serverSilent: true };
  const expired: Circumstances = { ...noTrouble, token: 'expired' };

  test.each<[string, PlayerAction[], Circumstances, PlayerNotice | null]>([
    ['is none at rest', [], noTrouble, null],
    ['is none while playing', [play, sounds], noTrouble, null],
    ['is none while a token is created', [play, sounds, hold], noTrouble, null],
    ['says that the browser wants a click', [play, blocked], noTrouble, 'blocked'],
    ['says that the audio is lost', [play, lostForGood], expired, 'lost'],
    [
      'asks for a click once the token of a lost stream is valid',
      [play, lostForGood],
      noTrouble,
      'lostPlayable',
    ],
    ['says that the sound goes on after the token expired', [play, sounds], expired, 'outlives'],
    ['says that the sound ends', [play, sounds, supplyEnds], expired, 'dry'],
    ['says that the programme is silent', [play, sounds, fallsSilent], noTrouble, 'silent'],
    ['says nothing about the expiry while the sound waits for data', [play, sounds, runsDry], expired, null],
    ['says that this computer plays no sound', [play, noOutput], noTrouble, 'noOutput'],
    [
      'keeps saying that this computer plays no sound',
      [play, sounds, noOutput, noOutput, noOutput, noOutput],
      noTrouble,
      'noOutput',
    ],
    ['says nothing of the computer any more if a loss follows', [play, noOutput, lost], noTrouble, null],
    ['says that another tab plays', [play, otherTabPlays], noTrouble, 'otherTab'],
    ['says that the token is refused', [play, refused], noTrouble, 'refused'],
    ['does not repeat a status that says it all', [play, lost], noTrouble, null],
    [
      'says after four losses that reconnecting takes long',
      [play, lost, lost, lost, lost],
      noTrouble,
      'struggling',
    ],
    ['says that the provider seems to refuse the token', [play, likelyRefused], noTrouble, 'likelyRefused'],
    ['says at once that there is no network', [play], offline, 'offline'],
    ['says while reconnecting that there is no network', [play, lost], offline, 'offline'],
    ['says without a network that playing sound may stop', [play, sounds], offline, 'offlineSounding'],
    ['says also at rest that there is no network', [], offline, 'offlineAtRest'],
    ['says while a token is created that there is no network', [play, hold], offline, 'offlineAtRest'],
    [
      'says that the audio is lost rather than that there is no network',
      [play, lostForGood],
      { ...offline, token: 'expired' },
      'lost',
    ],
    ['says that our server does not answer while play waits for it', [play], serverSilent, 'serverSilent'],
    ['says nothing about our server at rest', [], serverSilent, null],
  ])('%s', (_name, actions, world, notice) => {
    expect(playerNotice(stateAfter(...actions), world)).toBe(notice);
  });
});

describe('the sound', () => {
  const ongoing: Dropout = { kind: 'ongoing', since: { epochMs: 0, monotonicMs: 0 }, earlier: null };

  test.each<[string, PlayerAction[], Dropout, ReturnType<typeof soundOf>]>([
    ['is off at rest', [], NO_DROPOUT, 'off'],
    ['is off while connecting', [play], NO_DROPOUT, 'off'],
    ['is heard while it plays', [play, sounds], NO_DROPOUT, 'heard'],
    ['is missing while the stream delivers no data', [play, sounds, runsDry], ongoing, 'missing'],
    [
      'is off, not missing, while it comes back after a failed creation',
      [play, hold, holdEnds],
      NO_DROPOUT,
      'off',
    ],
    ['is missing while reconnecting', [play, lost], NO_DROPOUT, 'missing'],
    ['is missing when it was lost for good', [play, sounds, lostForGood], NO_DROPOUT, 'missing'],
    ['is missing when only buffered sound is left', [play, sounds, supplyEnds], NO_DROPOUT, 'missing'],
    ['is missing while the programme is silent', [play, sounds, fallsSilent], NO_DROPOUT, 'missing'],
    ['is missing when it was refused', [play, refused], NO_DROPOUT, 'missing'],
    ['is off while another tab plays', [play, otherTabPlays], NO_DROPOUT, 'off'],
  ])('%s', (_name, actions, dropout, sound) => {
    expect(soundOf(stateAfter(...actions), dropout)).toBe(sound);
  });

  test('that is missing has one status, with and without a connection', () => {
    expect(playerStatus(stateAfter(play, sounds, runsDry), ongoing, false)).toBe('reconnecting');
    expect(playerStatus(stateAfter(play, sounds, runsDry, lost), ongoing, false)).toBe('reconnecting');
  });

  test.each<[string, PlayerAction[], boolean]>([
    ['plays', [play, sounds], true],
    ['waits for data', [play, sounds, runsDry], true],
    ['is silent', [play, sounds, fallsSilent], true],
    ['has only buffered seconds left', [play, sounds, supplyEnds], false],
    ['is paused for a creation', [play, sounds, hold], true],
    ['was paused', [play, sounds, pause], false],
    ['is lost', [play, sounds, lost], false],
    ['never played', [play], false],
  ])('that %s goes on after its token expired: %o → %s', (_name, actions, outlives) => {
    expect(outlivesToken(stateAfter(...actions))).toBe(outlives);
  });
});

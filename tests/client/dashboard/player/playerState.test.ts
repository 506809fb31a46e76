import { describe, expect, test } from 'vitest';
import { type Dropout, NO_DROPOUT } from '../../../../client/dashboard/player/dropout.ts';
import {
  buttonAction,
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
const waits = { type: 'dataAwaited' } as const;
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
const likely = { ...lost, cause: 'likely' } as const;
const noOutput = { ...lost, cause: 'noOutput' } as const;
const hold = { type: 'holdRequested' } as const;
const holdEnds = { type: 'holdEnded', connected: true } as const;
const holdEndsUnconnected = { type: 'holdEnded', connected: false } as const;
const newToken = { type: 'tokenChanged' } as const;
const otherTabPlays = { type: 'otherTabPlayed' } as const;
const otherTabStops = { type: 'otherTabStopped' } as const;

const stateAfter = (...actions: PlayerAction[]): PlayerState => actions.reduce(playerReducer, PLAYER_AT_REST);
const paused = (because: 'creation' | 'blocked' | 'lost' | 'otherTab') => ({ kind: 'paused', because });

const soundsAgain = [play, lost, lost, sounds, waits, sounds];
const likelyThrice = [play, likely, likely, likely];

describe('the player’s state is', () => {
  test.each<[string, PlayerAction[], object]>([
    ['connecting until sound plays', [play], { kind: 'connecting' }],
    ['playing once sound plays', [play, sounds], { kind: 'playing' }],
    ['buffering while the sound waits for data', [play, sounds, waits], { kind: 'buffering' }],
    ['dry while only buffered sound is left', [play, sounds, supplyEnds], { kind: 'dry' }],
    ['dry still while the sound waits for data', [play, sounds, supplyEnds, waits], { kind: 'dry' }],
    ['playing once data arrives again', [play, sounds, supplyEnds, supplyResumes], { kind: 'playing' }],
    ['silent while the programme is', [play, sounds, fallsSilent], { kind: 'silent' }],
    ['silent still over a new connection', [play, sounds, fallsSilent, sounds], { kind: 'silent' }],
    ['playing after a silent programme', [play, sounds, fallsSilent, silenceEnds], { kind: 'playing' }],
    ['playing behind live', [play, sounds, fallsBehind], { kind: 'playing', behindSeconds: 12 }],
    ['at the live edge over a new connection', [play, sounds, fallsBehind, sounds], { behindSeconds: 0 }],
    ['paused after a pause', [play, sounds, pause], PLAYER_AT_REST],
    ['paused when the browser refuses to start sound', [play, blocked], paused('blocked')],
    ['reconnecting after a loss', [play, sounds, lost], { kind: 'reconnecting', attempt: 1 }],
    ['reconnecting, counting the attempts', [play, lost, waits, lost, lost], { attempt: 3 }],
    ['reconnecting, counting on after short sound', [...soundsAgain, lost], { attempt: 3 }],
    ['reconnecting, counting anew after lasting sound', [...soundsAgain, lostAfterLong], { attempt: 1 }],
    ['paused when no token can open a connection', [play, lost, lostForGood], paused('lost')],
    ['refused after a certain refusal', [play, refused], { kind: 'refused' }],
    ['lost when a refused token has expired', [play, { ...refused, canReconnect: false }], paused('lost')],
    ['reconnecting after three likely refusals', likelyThrice, { kind: 'reconnecting', attempt: 3 }],
    ['refused after the fourth likely refusal', [...likelyThrice, likely], { kind: 'refused' }],
    ['reconnecting after likely refusals with a fault', [...likelyThrice, lost, likely], { attempt: 5 }],
    ['reconnecting after likely refusals with sound', [...likelyThrice, sounds, likely], { attempt: 4 }],
    ['connecting at a play after a refusal', [play, refused, play], { kind: 'connecting' }],
    ['at rest at a pause after a refusal', [play, refused, pause], PLAYER_AT_REST],
    ['paused when another tab plays', [play, sounds, otherTabPlays], paused('otherTab')],
    ['paused by another tab still', [play, otherTabPlays, pause, newToken], paused('otherTab')],
    ['at rest once the other tab stops', [play, otherTabPlays, otherTabStops], PLAYER_AT_REST],
    ['playing when another tab stops', [play, sounds, otherTabStops], { kind: 'playing' }],
    ['blocked still when another tab stops', [play, blocked, otherTabStops], paused('blocked')],
    ['paused while a token is created', [play, sounds, hold], paused('creation')],
    ['buffering when a creation failed', [play, hold, holdEnds], { kind: 'buffering' }],
    ['connecting without the held connection', [play, hold, holdEndsUnconnected], { kind: 'connecting' }],
    ['at rest after a failed creation that paused nothing', [holdEnds], PLAYER_AT_REST],
    ['paused when a creation failed after a pause', [play, hold, pause, holdEnds], PLAYER_AT_REST],
    ['paused by another tab during a creation', [play, hold, otherTabPlays, holdEnds], paused('otherTab')],
    ['at rest when a new token follows a refusal', [play, refused, newToken], PLAYER_AT_REST],
    ['at rest when a new token follows a loss', [play, lostForGood, newToken], PLAYER_AT_REST],
    ['playing when a new token is made', [play, sounds, newToken], { kind: 'playing' }],
    ['paused for a creation when a new token is made', [play, hold, newToken], paused('creation')],
  ])('%s', (_name, actions, state) => {
    expect(stateAfter(...actions)).toMatchObject(state);
  });

  test.each([[sounds], [lost], [otherTabPlays]])('not changed at rest by a late %o', (late) => {
    expect(stateAfter(play, pause, late)).toEqual(PLAYER_AT_REST);
  });
});

test.each<[string, PlayerAction[], boolean, string, string]>([
  ['plays with an active token', [], true, 'play', 'paused'],
  ['is off without an active token', [], false, 'none', 'needsToken'],
  ['plays again after a refusal', [play, refused], true, 'play', 'refused'],
  ['pauses while connecting', [play], true, 'pause', 'connecting'],
  ['pauses while playing after the token expired', [play, sounds], false, 'pause', 'playing'],
])('the button %s', (_name, actions, tokenActive, action, status) => {
  expect(buttonAction(stateAfter(...actions), tokenActive)).toBe(action);
  expect(playerStatus(stateAfter(...actions), NO_DROPOUT, tokenActive)).toBe(status);
});

type Circumstances = Parameters<typeof playerNotice>[1];

const noTrouble: Circumstances = { offline: false, serverSilent: false, token: 'active' };
const offline = { ...noTrouble, offline: true, serverSilent: true };
const serverSilent = { ...noTrouble, serverSilent: true };
const expired: Circumstances = { ...noTrouble, token: 'expired' };

test.each<[string, PlayerAction[], Circumstances, PlayerNotice | null]>([
  ['absent at rest', [], noTrouble, null],
  ['absent while playing', [play, sounds], noTrouble, null],
  ['absent while a token is created', [play, sounds, hold], noTrouble, null],
  ['that the browser wants a click', [play, blocked], noTrouble, 'blocked'],
  ['that the audio is lost', [play, lostForGood], expired, 'lost'],
  ['that lost audio needs a click once the token is valid', [play, lostForGood], noTrouble, 'lostPlayable'],
  ['that the sound goes on after the token expired', [play, sounds], expired, 'outlives'],
  ['that the sound ends', [play, sounds, supplyEnds], expired, 'dry'],
  ['that the programme is silent', [play, sounds, fallsSilent], noTrouble, 'silent'],
  ['absent about the expiry while the sound waits for data', [play, sounds, waits], expired, null],
  ['that this computer plays no sound', [play, sounds, noOutput, noOutput], noTrouble, 'noOutput'],
  ['absent about the computer after another loss', [play, noOutput, lost], noTrouble, null],
  ['that another tab plays', [play, otherTabPlays], noTrouble, 'otherTab'],
  ['that the token is refused', [play, refused], noTrouble, 'refused'],
  ['absent at the third loss', [play, lost, lost, lost], noTrouble, null],
  ['from the fourth loss, that it takes long', [play, lost, lost, lost, lost], noTrouble, 'struggling'],
  ['that the provider seems to refuse the token', [play, likely], noTrouble, 'likelyRefused'],
  ['while reconnecting, that there is no network', [play, lost], offline, 'offline'],
  ['without a network, that playing sound may stop', [play, sounds], offline, 'offlineSounding'],
  ['without a network, that the programme is silent', [play, sounds, fallsSilent], offline, 'silent'],
  ['at rest, that there is no network', [], offline, 'offlineAtRest'],
  ['that the audio is lost, network or not', [play, lostForGood], { ...offline, token: 'expired' }, 'lost'],
  ['that our server does not answer', [play], serverSilent, 'serverSilent'],
  ['absent about our server at rest', [], serverSilent, null],
])('the notice is %s', (_name, actions, circumstances, notice) => {
  expect(playerNotice(stateAfter(...actions), circumstances)).toBe(notice);
});

const ongoing: Dropout = { kind: 'ongoing', since: { epochMs: 0, monotonicMs: 0 }, earlier: null };

test.each<[string, PlayerAction[], Dropout, ReturnType<typeof soundOf>]>([
  ['off at rest', [], NO_DROPOUT, 'off'],
  ['off while connecting', [play], NO_DROPOUT, 'off'],
  ['heard while it plays', [play, sounds], NO_DROPOUT, 'heard'],
  ['missing while the stream delivers no data', [play, sounds, waits], ongoing, 'missing'],
  ['off while it comes back after a failed creation', [play, hold, holdEnds], NO_DROPOUT, 'off'],
  ['missing while reconnecting', [play, lost], NO_DROPOUT, 'missing'],
  ['missing when it was lost for good', [play, sounds, lostForGood], NO_DROPOUT, 'missing'],
  ['missing when only buffered sound is left', [play, sounds, supplyEnds], NO_DROPOUT, 'missing'],
  ['missing while the programme is silent', [play, sounds, fallsSilent], NO_DROPOUT, 'missing'],
  ['missing when it was refused', [play, refused], NO_DROPOUT, 'missing'],
  ['off while another tab plays', [play, otherTabPlays], NO_DROPOUT, 'off'],
])('the sound is %s', (_name, actions, dropout, sound) => {
  expect(soundOf(stateAfter(...actions), dropout)).toBe(sound);
});

test('sound that drops out over an open connection reads as reconnecting', () => {
  expect(playerStatus(stateAfter(play, sounds, waits), ongoing, false)).toBe('reconnecting');
});

test.each<[string, PlayerAction[], boolean]>([
  ['plays', [play, sounds], true],
  ['waits for data', [play, sounds, waits], true],
  ['is silent', [play, sounds, fallsSilent], true],
  ['has only buffered seconds left', [play, sounds, supplyEnds], false],
  ['is paused for a creation', [play, sounds, hold], true],
  ['was paused', [play, sounds, pause], false],
  ['is lost', [play, sounds, lost], false],
])('sound that %s outlives its token: %o → %s', (_name, actions, outlives) => {
  expect(outlivesToken(stateAfter(...actions))).toBe(outlives);
});

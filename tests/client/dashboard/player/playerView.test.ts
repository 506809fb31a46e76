import { describe, expect, test } from 'vitest';
import {
  type Circumstances,
  type PlayerView,
  playerView,
} from '../../../../client/dashboard/player/playerView.ts';
import { type TestPlayer, testPlayer } from './testPlayer.ts';

type Step = (player: TestPlayer) => void;

const NO_TROUBLE: Circumstances = { token: 'active', muted: false, offline: false, serverSilent: false };
const OFFLINE = { offline: true };
const MUTED = { muted: true };
const SERVER_SILENT = { serverSilent: true };

const play: Step = (player) => player.play();
const pause: Step = (player) => player.pause();
const sounds: Step = (player) => player.reports('sounding');
const waits: Step = (player) => player.reports('waiting');
const lost: Step = (player) => player.reports('lost');
const noOutput: Step = (player) => player.reports('noOutput');
const fallsSilent: Step = (player) => player.reports('silent');
const supplyEnds: Step = (player) => player.reports('supplyEnded');
const supplyStaysAway: Step = (player) => {
  player.passes(500);
  player.reports('supplyEnded');
};
const blocked: Step = (player) => player.reports('blocked');
const likelyRefused: Step = (player) => player.doesNotOpen('unreadable');
const refusedOnce: Step = (player) => player.doesNotOpen('refused');
const refused: Step = (player) => {
  player.doesNotOpen('refused');
  player.passes(15_000);
  player.doesNotOpen('refused');
};
const expires: Step = (player) => player.passes(20 * 60_000);
const newToken: Step = (player) => player.learns('second==');
const waitPasses: Step = (player) => player.passes(500);
const pausedOutside: Step = (player) => player.reports('paused');
const minutePasses: Step = (player) => player.passes(60_000);
const reloaded: Step = (player) => player.send({ type: 'pageReloaded' });
const hold: Step = (player) => player.send({ type: 'creationBegan' });
const holdFails: Step = (player) => player.creationFailed();
const otherTabPlays: Step = (player) =>
  player.send({ type: 'otherTabPlayed', claim: { epochMs: Number.MAX_SAFE_INTEGER, chance: 0 } });
const ordered: Step = (player) => player.send({ type: 'creationOrdered', beforehand: true });
const fallsBehind: Step = (player) => player.reports({ behindSeconds: 12 });
const replacementFails: Step = (player) => {
  player.passes(300);
  player.besideReports('unopened');
};

function viewAfter(steps: Step[], circumstances: Partial<Circumstances> = {}): PlayerView {
  const player = testPlayer();
  for (const step of steps) step(player);
  const token = steps.includes(expires) && !steps.includes(newToken) ? 'expired' : 'active';
  return playerView(player.state(), { ...NO_TROUBLE, token, ...circumstances });
}

const dry = [play, sounds, expires, supplyEnds, supplyStaysAway];
const lostForGood = [play, sounds, expires, lost];

describe('the page shows', () => {
  test.each<[string, Step[], Partial<PlayerView>, Partial<Circumstances>?]>([
    ['a pause at rest', [], { status: 'paused', button: 'play', sound: 'off', notice: null }],
    ['that a token is needed', [expires], { status: 'needsToken', button: 'none', sound: 'off' }],
    ['that it connects', [play], { status: 'connecting', button: 'pause', sound: 'off', alarm: 'none' }],
    ['that sound plays', [play, sounds], { status: 'playing', button: 'pause', sound: 'heard' }],
    ['that sound is muted', [play, sounds], { status: 'muted', sound: 'muted', alarm: 'status' }, MUTED],
    ['a pause', [play, sounds, pause], { status: 'paused', button: 'play', sound: 'off' }],
    ['sound over an open connection', [play, sounds, expires], { notice: 'outlives', button: 'pause' }],
    ['nothing of a short gap', [play, sounds, waits], { status: 'playing', sound: 'heard' }],
    [
      'sound that waits for data',
      [play, sounds, waits, waitPasses],
      { status: 'starving', sound: 'missing' },
    ],
    ['a loss', [play, sounds, lost], { status: 'reconnecting', sound: 'missing', alarm: 'status' }],
    ['nothing of a moment without data', [play, sounds, expires, supplyEnds], { status: 'playing' }],
    ['buffered sound', dry, { status: 'dry', notice: 'dry', sound: 'missing', alarm: 'status' }],
    ['buffered sound that ran out', [...dry, waits, waitPasses], { status: 'starving', notice: 'starving' }],
    [
      'a silent programme',
      [play, sounds, fallsSilent],
      { status: 'silent', notice: 'silent', alarm: 'status' },
    ],
    [
      'a refused token',
      [play, refused],
      { status: 'refused', notice: 'refused', button: 'play', alarm: 'status' },
    ],
    [
      'that the browser blocks sound',
      [play, blocked],
      { status: 'paused', notice: 'blocked', alarm: 'notice' },
    ],
    [
      'a pause from outside',
      [play, sounds, pausedOutside],
      { status: 'paused', notice: 'pausedOutside', alarm: 'notice', needsPlay: true, canStopWaiting: true },
    ],
    [
      'a pause from outside whose connection was let go',
      [play, sounds, pausedOutside, minutePasses],
      { status: 'paused', notice: 'pausedOutside', alarm: 'notice', sound: 'missing', needsPlay: true },
    ],
    [
      'that the page was loaded again',
      [reloaded],
      { status: 'paused', notice: 'reloaded', alarm: 'notice', needsPlay: true, canStopWaiting: true },
    ],
    [
      'sound lost without a token',
      lostForGood,
      {
        status: 'needsToken',
        notice: 'lost',
        sound: 'missing',
        alarm: 'notice',
        button: 'none',
        canStopWaiting: true,
        missingSince: expect.any(Number),
      },
    ],
    ['a reconnection once another token is there', [...lostForGood, newToken], { status: 'reconnecting' }],
    ['rest when the waiting is ended', [...lostForGood, pause], { notice: null, sound: 'off' }],
    ['a creation ordered beforehand', [ordered, ...lostForGood, waitPasses], { notice: 'creating' }],
    ['that another tab plays', [play, sounds, otherTabPlays], { notice: 'otherTab', sound: 'off' }],
    ['a pause during a creation', [play, sounds, hold], { status: 'paused', notice: null, sound: 'off' }],
    ['sound after a failed creation', [play, sounds, hold, holdFails], { status: 'playing', sound: 'heard' }],
    ['how far behind live the sound is', [play, sounds, expires, fallsBehind], { behindSeconds: 12 }],
    ['no delay while it joins live', [play, sounds, fallsBehind], { behindSeconds: 0 }],
    ['the delay if it cannot', [play, sounds, fallsBehind, replacementFails], { behindSeconds: 12 }],
    ['no answer', [play, (player) => player.doesNotOpen('none')], { notice: 'none' }],
    ['that this computer plays no sound', [play, sounds, noOutput], { notice: 'noOutput' }],
    ['an answer that may not be read', [play, likelyRefused], { notice: 'unreadable', canRetry: true }],
    ['one refusal', [play, refusedOnce], { status: 'reconnecting', notice: 'refusedOnce', canRetry: true }],
    ['a missing network while reconnecting', [play, likelyRefused], { notice: 'offline' }, OFFLINE],
    ['a missing network while it plays', [play, sounds], { notice: 'offlineSounding' }, OFFLINE],
    ['a silent programme, network or not', [play, sounds, fallsSilent], { notice: 'silent' }, OFFLINE],
    ['a missing network at rest', [], { notice: 'offlineAtRest' }, OFFLINE],
    ['lost sound, network or not', lostForGood, { notice: 'lost' }, OFFLINE],
    ['that our server does not answer', [play], { notice: 'serverSilent' }, SERVER_SILENT],
    ['nothing of our server at rest', [], { notice: null }, SERVER_SILENT],
  ])('%s', (_, steps, view, circumstances) => {
    expect(viewAfter(steps, circumstances)).toMatchObject(view);
  });
});

test.each<[string, Step[], boolean]>([
  ['plays', [play, sounds], true],
  ['waits for data', [play, sounds, waits], true],
  ['has waited too long', [play, sounds, waits, waitPasses], false],
  ['is silent', [play, sounds, fallsSilent], true],
  ['has only buffered seconds left', dry, false],
  ['is paused for a creation', [play, sounds, hold], true],
  ['was paused', [play, sounds, pause], false],
  ['is lost', [play, sounds, lost], false],
])('sound that %s outlives its token: %o → %s', (_, steps, outlives) => {
  expect(viewAfter(steps).outlivesToken).toBe(outlives);
});

test.each<[string, Step[], boolean]>([
  ['plays', [play, sounds], true],
  ['connects', [play], false],
  ['waits for data', [play, sounds, waits, waitPasses], false],
  ['is held for a creation', [play, sounds, hold], false],
])('sound that %s is settled: %o → %s', (_, steps, isSettled) => {
  expect(viewAfter(steps).isSettled).toBe(isSettled);
});

test.each<[string, Step[], boolean]>([
  ['plays', [play, sounds, expires], true],
  ['reconnects', [play, sounds, lost], true],
  ['is paused', [play, sounds, pause], false],
  ['is lost without a token', lostForGood, false],
  ['is refused', [play, refused], false],
])('sound that %s is on air: %o → %s', (_, steps, isOnAir) => {
  expect(viewAfter(steps).isOnAir).toBe(isOnAir);
});

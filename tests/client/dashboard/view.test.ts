import { describe, expect, test } from 'vitest';
import { dashboardTexts } from '../../../client/dashboard/dashboardTexts.ts';
import { ROWS, stageOf, type View, viewOf } from '../../../client/dashboard/view.ts';
import type { SessionEnd } from '../../../client/page/failure.ts';
import type { ServerTrouble } from '../../../client/page/pageState.ts';
import { isOnAir } from '../../../client/page/player/playerState.ts';
import { tokenState } from '../../../client/page/tokenState.ts';
import { shownDashboard, testPlayer } from '../page/player/testPlayer.ts';

type Around = {
  muted?: boolean;
  offline?: boolean;
  serverTrouble?: ServerTrouble;
  /** The page knew the stream's address before the trouble began. */
  hasAddress?: boolean;
  sessionEnded?: boolean;
  cut?: SessionEnd;
};

const OFFLINE = { offline: true };
const MUTED = { muted: true };
const SERVER_UNREACHABLE = { serverTrouble: 'serverUnreachable' } as const;
const SERVER_FAILS = { serverTrouble: 'serverFails' } as const;
const OTHER_PAGE = { serverTrouble: 'otherPage' } as const;
const COOKIES = { serverTrouble: 'tooManyCookies' } as const;
const TOO_LARGE = { serverTrouble: 'tooLarge' } as const;

const CUT = (
  ['UNAUTHENTICATED', 'COOKIES_BLOCKED', 'COOKIES_DELETED', 'SIGNED_OUT_ELSEWHERE', 'OTHER_ACCOUNT'] as const
).map((cut) => ({
  cut,
}));

const DRY = 'plays 20min dataStopped 500ms dataStopped';
const UNDECODABLE = ['play fails:audio', 'fails:audio'];
const HANGS = 'play stalls:15000';
const HANGS_AGAIN = `${HANGS} 5s stalls:15000`;
const LOST = 'plays 20min lost';
const REFUSED_TWICE = '15s fails:refused 15s fails:refused';
const REFUSED = 'play fails:refused 15s fails:refused';
const REFUSED_AGAIN = `${REFUSED} creates created:second fails:refused 15s fails:refused`;

function viewAfter(
  steps: string,
  { muted = false, offline = false, serverTrouble, hasAddress, sessionEnded = false, cut }: Around = {},
): View {
  const player = testPlayer(serverTrouble && !hasAddress ? { streamBase: null } : {}).goes(steps);
  const page = player.page();
  const state = {
    ...page,
    dashboard: { ...page.dashboard, cut: cut ?? null },
    trouble: serverTrouble ?? null,
    ended: sessionEnded ? ('UNAUTHENTICATED' as const) : null,
  };
  return viewOf(shownDashboard(state), {
    stage: stageOf(tokenState(page.dashboard.token, player.given().epochMs)),
    muted,
    offline,
  });
}

describe('the page shows', () => {
  test.each<[string, string, Partial<View>, Around?]>([
    ['a pause at rest', '', { status: 'paused', button: 'play', alarm: 'none', hint: null }],
    [
      'what changes the speed',
      'plays speedForced',
      { status: 'playing', alarm: 'none', hint: 'speedForced' },
    ],
    ['that a token is needed', '20min', { status: 'needsToken', button: 'none', alarm: 'none' }],
    ['that it connects', 'play', { status: 'connecting', button: 'pause', alarm: 'none' }],
    ['that sound plays', 'plays', { status: 'playing', button: 'pause', alarm: 'none' }],
    ['that sound is muted', 'plays', { status: 'muted', alarm: 'status' }, MUTED],
    ['a pause', 'plays pause', { status: 'paused', button: 'play', alarm: 'none' }],
    ['sound over an open connection', 'plays 20min', { hint: 'outlives', button: 'pause' }],
    ['nothing of a short gap', 'plays waiting', { status: 'playing', alarm: 'none' }],
    ['a wait for data', 'plays waiting 500ms', { status: 'starving', alarm: 'status' }],
    ['a loss', 'plays lost', { status: 'reconnecting', alarm: 'status' }],
    ['nothing of a moment without data', 'plays 20min dataStopped', { status: 'playing' }],
    ['buffered sound', DRY, { status: 'dry', hint: 'dry', alarm: 'status' }],
    [
      'nothing of buffered sound that is replaced',
      'plays dataStopped 500ms dataStopped',
      { status: 'playing' },
    ],
    ['a replacement that is awaited', 'plays dataStopped 300ms waiting 500ms', { status: 'reconnecting' }],
    ['buffered sound that ran out', `${DRY} waiting 500ms`, { status: 'starving', hint: 'starving' }],
    ['a silent programme', 'plays silent', { status: 'silent', hint: 'silent', alarm: 'status' }],
    ['a refused token', REFUSED, { status: 'refused', hint: 'refused', button: 'play', alarm: 'status' }],
    [
      'that another token will hardly help after a second refused one',
      REFUSED_AGAIN,
      { status: 'refused', hint: 'refusedAgain', advice: null, next: 'play' },
    ],
    [
      'a refused token after sound',
      `${REFUSED} creates created:second playing lost ${REFUSED_TWICE}`,
      { hint: 'refused' },
    ],
    ['blocked sound', 'play blocked', { status: 'paused', hint: 'blocked', alarm: 'hint' }],
    [
      'a pause from outside',
      'plays pausedOutside',
      { hint: 'pausedOutside', alarm: 'hint', next: 'play', alarmButton: 'stopWaiting' },
    ],
    ['a pause from outside later', 'plays pausedOutside 1min', { status: 'paused', alarm: 'hint' }],
    [
      'that an end of the session ended the sound',
      '',
      { status: 'paused', hint: 'UNAUTHENTICATED', alarm: 'hint', button: 'play', next: 'play' },
      { cut: 'UNAUTHENTICATED' },
    ],
    ['no wait after that', '', { alarmButton: 'dismiss' }, { cut: 'UNAUTHENTICATED' }],
    ['no wait after that without a token', '20min', { alarmButton: 'dismiss' }, { cut: 'UNAUTHENTICATED' }],
    ['a reload', 'reloaded', { status: 'paused', hint: 'reloaded', alarm: 'hint', next: 'play' }],
    ['a wait that can be stopped after a reload', 'reloaded', { alarmButton: 'stopWaiting' }],
    ['a wait for a token after a reload', 'reloaded 20min', { alarmButton: 'stopWaiting' }],
    ['lost sound', LOST, { status: 'needsToken', hint: 'lost', alarm: 'hint' }],
    [
      'since when sound is lost',
      LOST,
      { dropout: expect.objectContaining({ kind: 'ongoing' }), button: 'none' },
    ],
    ['a reconnection with another token', `${LOST} token:second`, { status: 'reconnecting' }],
    ['rest when the waiting is ended', `${LOST} pause`, { hint: null, alarm: 'none' }],
    ['an automatic creation', `auto ${LOST} 500ms`, { hint: 'creating' }],
    ['that another tab plays', 'plays otherTab', { hint: 'otherTab', alarm: 'none' }],
    ['a pause during a creation', 'plays creates', { status: 'paused', hint: null, alarm: 'none' }],
    ['sound after a failed creation', 'plays creates notCreated', { status: 'playing', alarm: 'none' }],
    ['how far behind live the sound is', 'plays 20min behind:12', { behindSeconds: 12 }],
    ['no delay while it joins live', 'plays behind:12', { behindSeconds: 0 }],
    ['the delay if it cannot', 'plays behind:12 300ms replacement:unopened', { behindSeconds: 12 }],
    ['no answer', 'play fails:none', { hint: 'none' }],
    ['nothing of a stream that sent nothing once', HANGS, { status: 'reconnecting', hint: null }],
    ['what may hold back a stream that sent nothing twice', HANGS_AGAIN, { hint: 'hangs' }],
    [
      'nothing of it while our server does not answer either',
      HANGS_AGAIN,
      { hint: null },
      { ...SERVER_UNREACHABLE, hasAddress: true },
    ],
    ['nothing of it after sound', `${HANGS_AGAIN} 5s playing lost`, { hint: null }],
    ['nothing of audio that did not open twice', UNDECODABLE.join(' 15s '), { hint: null }],
    [
      'that this browser cannot play audio that did not open three times',
      [...UNDECODABLE, 'fails:audio'].join(' 15s '),
      { status: 'reconnecting', hint: 'undecodable' },
    ],
    ['that this computer plays no sound', 'plays noOutput', { hint: 'noOutput' }],
    [
      'that this computer plays no sound, over a connection that is kept',
      'plays 20min outputMissing',
      { status: 'silent', hint: 'noOutput', alarm: 'status', button: 'pause' },
    ],
    ['that it is heard again', 'plays 20min outputMissing playing', { hint: 'outlives', alarm: 'none' }],
    [
      'that this computer plays no sound, without a connection',
      'plays 20min noOutput',
      { status: 'needsToken', hint: 'lostOutput', alarm: 'hint', next: 'create' },
    ],
    [
      'what helps once there is a sound device',
      'plays 20min noOutput output',
      { hint: 'lost', next: 'create' },
    ],
    ['one refusal', 'play fails:refused', { status: 'reconnecting', hint: 'refusedOnce', retry: 'possible' }],
    ['a missing network while reconnecting', 'play fails:none', { hint: 'offline' }, OFFLINE],
    ['a missing network while it plays', 'plays', { hint: 'offlinePlaying' }, OFFLINE],
    ['a silent programme, network or not', 'plays silent', { hint: 'silent' }, OFFLINE],
    ['a missing network at rest', '', { hint: 'offlineAtRest' }, OFFLINE],
    ['lost sound, network or not', LOST, { hint: 'lost' }, OFFLINE],
    [
      'that our server does not answer',
      'play',
      { hint: 'serverUnreachable', alarm: 'hint' },
      SERVER_UNREACHABLE,
    ],
    ['that our server fails', 'play', { hint: 'serverFails', alarm: 'hint' }, SERVER_FAILS],
    ['nothing of our server at rest', '', { hint: null }, SERVER_UNREACHABLE],
  ])('%s', (_, steps, view, inputs) => {
    expect(viewAfter(steps, inputs)).toMatchObject(view);
  });
});

test.each([
  ['plays', 'plays', true],
  ['connects', 'play', false],
  ['waits for data', 'plays waiting', true],
  ['has waited too long', 'plays waiting 500ms', false],
  ['is silent', 'plays silent', true],
  ['has only buffered seconds left', DRY, false],
  ['is paused for a creation', 'plays creates', true],
  ['was paused', 'plays pause', false],
  ['is lost', 'plays lost', false],
])('sound that %s (%s) needs no token: %s', (_, steps, needsNone) => {
  expect(viewAfter(`${steps} expires`).urgency).toBe(needsNone ? 'outlived' : 'expired');
});

test.each([
  ['plays', 'plays', true],
  ['connects', 'play', true],
  ['is lost', 'plays lost', true],
  ['was paused', 'plays pause', false],
  ['is lost without a token', LOST, false],
  ['is refused', REFUSED, false],
])('sound that %s (%s) needs no session: %s', (_, steps, needsNone) => {
  expect(isOnAir(testPlayer().goes(steps).state())).toBe(needsNone);
});

describe('a hint names at most one thing to do, and it can be done', () => {
  const BLOCKED = 'play blocked';
  const STEPS = [
    ['', 'play', 'plays', 'plays pause', 'plays 20min', 'plays silent', 'plays otherTab', 'plays noOutput'],
    [
      'plays creates',
      'plays lost 300ms',
      DRY,
      `${DRY} waiting 500ms`,
      LOST,
      `auto ${LOST} 500ms`,
      REFUSED,
      REFUSED_AGAIN,
      `${REFUSED} 20min`,
    ],
    ['plays speedForced', 'plays 20min outputMissing', 'plays 20min noOutput', '20min'],
    [BLOCKED, `${BLOCKED} 20min`, 'reloaded', 'reloaded 20min', 'plays lost'],
    ['plays pausedOutside', 'plays pausedOutside 20min', 'plays pausedOutside expires'],
    ['unreadable', 'notAudio', 'fault', 'none', 'notPermitted', 'refused'].map(
      (answer) => `play fails:${answer}`,
    ),
    [[...UNDECODABLE, 'fails:audio'].join(' 15s '), HANGS_AGAIN],
  ].flat();
  const CASES = STEPS.flatMap((steps) =>
    [false, true].flatMap((sessionEnded) =>
      [{}, MUTED, OFFLINE, SERVER_UNREACHABLE, SERVER_FAILS, OTHER_PAGE, COOKIES, TOO_LARGE, ...CUT].map(
        (trouble) => {
          const view = viewAfter(steps, { ...trouble, sessionEnded });
          return { steps, sessionEnded, trouble, view };
        },
      ),
    ),
  );

  test('in every state of its button and of the session', () => {
    const wrong = CASES.filter(({ view: { status, hint, advice, button }, sessionEnded }) => {
      const hinted = [
        hint && dashboardTexts.playerHints[hint],
        advice && dashboardTexts.playerAdvice[advice],
      ];
      const said = [...hinted, dashboardTexts.playerStatus[status]].join(' ');
      const acts = said.match(/Pulsa|\bcrea\b|Debes generar|Revisa/gi) ?? [];
      const canDo = acts.every((act) =>
        act === 'Pulsa' ? button === 'play' : act === 'Revisa' || !sessionEnded,
      );
      // At the session's end a page without sound leaves the dashboard, and so never says that it needs a token.
      return acts.length > 1 || !(canDo || status === 'needsToken');
    });
    expect(wrong.map(({ steps, sessionEnded, view }) => ({ steps, sessionEnded, hint: view.hint }))).toEqual(
      [],
    );
  });

  test('and every hint and situation was looked at', () => {
    const seen = new Set(CASES.map(({ view }) => view.hint));
    expect(Object.keys(dashboardTexts.playerHints).filter((hint) => !seen.has(hint as never))).toEqual([]);
    const situations = new Set(CASES.map(({ view }) => view.situation));
    expect(Object.keys(ROWS).filter((situation) => !situations.has(situation as never))).toEqual([]);
  });
});

describe('the filled button and the look of the token', () => {
  const LAST = '1079s';
  test.each<[title: string, steps: string, urgency: View['urgency'], next: View['next']]>([
    ['more than two minutes at rest', '', 'calm', 'copy'],
    ['more than two minutes while sound plays', 'plays', 'calm', 'copy'],
    ['a refusal', REFUSED, 'refused', 'create'],
    ['a pause from outside', 'plays pausedOutside', 'calm', 'play'],
    ['two minutes at rest', `${LAST} 1s`, 'last', 'create'],
    ['two minutes while sound plays', `plays ${LAST}`, 'last', 'copy'],
    ['two minutes while sound is lost', `plays ${LAST} lost`, 'last', 'create'],
    ['the expiry at rest', '20min', 'expired', 'create'],
    ['the expiry while sound plays', 'plays 20min', 'outlived', 'none'],
    ['a creation that paused the sound', 'plays creates created:second', 'calm', 'play'],
    ['play after that', 'plays creates created:second play', 'calm', 'copy'],
    ['two minutes after that', `plays creates created:second ${LAST} 1s`, 'last', 'create'],
  ])('%s', (_, steps, urgency, next) => {
    expect(viewAfter(steps)).toMatchObject({ urgency, next });
  });
});

test('one status stands while replacements of a connection without data are refused', () => {
  const seen = [
    '',
    ' replacement:unopened',
    ' replacement:unopened 15s',
    ' replacement:unopened 15s replacement:unopened',
  ];
  const statuses = seen.map((more) => viewAfter(`plays dataStopped 300ms waiting 500ms${more}`).status);
  expect(new Set(statuses)).toEqual(new Set(['reconnecting']));
});

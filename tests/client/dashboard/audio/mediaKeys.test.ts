import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answerMediaKeys } from '../../../../client/dashboard/audio/mediaKeys.ts';
import type { PageState } from '../../../../client/page/pageState.ts';
import { shownOf } from '../../../../client/page/shown.ts';
import { update } from '../../../../client/page/update.ts';
import { testPlayer } from '../../page/player/testPlayer.ts';

const after = (steps: string) => testPlayer().goes(steps).page();
const AT_REST = after('');
const PLAYING = after('plays');
const SIGNED_OUT = update(
  PLAYING,
  { type: 'signOutPressed' },
  { epochMs: 0, monotonicMs: 0, random: 0, number: 2 },
);
const REFUSED = after('play fails:refused 15s fails:refused');

let session: ReturnType<typeof fakeSession>;

let state: PageState;
let changed: () => void;
const page = {
  shown: () => shownOf(state),
  subscribe: (onChange: () => void) => {
    changed = onChange;
    return () => undefined;
  },
  send: vi.fn(),
};

function fakeSession() {
  const keys = new Map<string, () => void>();
  return {
    metadata: null as unknown,
    playbackState: 'none',
    keys,
    setActionHandler(key: string, act: (() => void) | null) {
      if (act) keys.set(key, act);
      else keys.delete(key);
    },
  };
}

function become(next: PageState): void {
  state = next;
  changed();
}

beforeEach(() => {
  session = fakeSession();
  vi.stubGlobal('navigator', { mediaSession: session });
  vi.stubGlobal('MediaMetadata', Object);
  state = AT_REST;
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test('a stream that already plays is shown at once', () => {
  state = PLAYING;
  answerMediaKeys(page);
  expect(session.metadata).toEqual({ title: 'Audio Oficial Premium', artist: 'Radio Demo' });
  expect(session.playbackState).toBe('playing');
});

test.each(['pause', 'stop', 'play'])('a browser without the key %s has the others', (missing) => {
  const { keys, setActionHandler } = session;
  session.setActionHandler = (key, act) => {
    if (key === missing) throw new TypeError('unknown');
    setActionHandler(key, act);
  };
  state = PLAYING;
  answerMediaKeys(page);
  expect([...keys.keys()]).toEqual(['pause', 'stop', 'play'].filter((key) => key !== missing));
});

test('a browser that refuses to show the stream still answers its keys', () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  vi.stubGlobal('MediaMetadata', undefined);
  answerMediaKeys(page);
  become(PLAYING);
  expect([...session.keys.keys()]).toContain('pause');
});

test('at rest only the play key stays registered', () => {
  answerMediaKeys(page);
  become(PLAYING);
  for (const key of ['play', 'pause', 'stop']) session.keys.get(key)?.();
  const sent = page.send.mock.calls.map(([{ type }]) => type);
  expect(sent).toEqual(['playPressed', 'pausePressed', 'pausePressed']);
  become(REFUSED);
  expect([session.metadata, session.playbackState, [...session.keys.keys()]]).toEqual([
    null,
    'none',
    ['play'],
  ]);
  become(SIGNED_OUT);
  expect(session.keys.size).toBe(0);
});

test.each<[title: string, state: PageState]>([
  ['that never played', AT_REST],
  ['after which another one played', after('plays otherTab')],
])('a tab %s answers no key', (_, next) => {
  answerMediaKeys(page);
  become(PLAYING);
  become(next);
  expect([...session.keys.keys()]).toEqual([]);
});

test('a browser that refuses its media session has none', () => {
  const navigator = Object.defineProperty({}, 'mediaSession', {
    get() {
      throw new DOMException('refused', 'SecurityError');
    },
  });
  vi.stubGlobal('navigator', navigator);
  expect(() => answerMediaKeys(page)).not.toThrow();
});

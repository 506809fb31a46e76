import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answerMediaKeys } from '../../../../client/dashboard/audio/mediaKeys.ts';
import { PLAYER_AT_REST, type PlayerState } from '../../../../client/page/player/playerState.ts';

const AT_REST = { ...PLAYER_AT_REST, playedLast: false };
const PLAYING = { ...AT_REST, wanted: true, playedLast: true };

let session: ReturnType<typeof fakeSession>;
type State = PlayerState & { playedLast: boolean };

let state: State;
let changed: () => void;
const store = {
  state: () => ({ player: state, playedLast: state.playedLast }),
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

function become(next: State): void {
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
  answerMediaKeys(store, () => 'Radio Uno FM');
  expect(session.metadata).toEqual({ title: 'Audio Oficial Premium', artist: 'Radio Uno FM' });
  expect(session.playbackState).toBe('playing');
});

test.each(['pause', 'stop', 'play'])('a browser without the key %s has the others', (missing) => {
  const { keys, setActionHandler } = session;
  session.setActionHandler = (key, act) => {
    if (key === missing) throw new TypeError('unknown');
    setActionHandler(key, act);
  };
  state = PLAYING;
  answerMediaKeys(store, () => 'Radio Uno');
  expect([...keys.keys()]).toEqual(['pause', 'stop', 'play'].filter((key) => key !== missing));
});

test('a browser that refuses to show the stream still answers its keys', () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  vi.stubGlobal('MediaMetadata', undefined);
  answerMediaKeys(store, () => 'Radio Uno');
  become(PLAYING);
  expect([...session.keys.keys()]).toContain('pause');
});

test('at rest only the play key stays registered', () => {
  const leave = answerMediaKeys(store, () => 'Radio Uno');
  become(PLAYING);
  for (const key of ['play', 'pause', 'stop']) session.keys.get(key)?.();
  const sent = store.send.mock.calls.map(([{ type }]) => type);
  expect(sent).toEqual(['playPressed', 'pausePressed', 'pausePressed']);
  become({ ...PLAYING, obstacle: 'refused' });
  expect([session.metadata, session.playbackState, [...session.keys.keys()]]).toEqual([
    null,
    'none',
    ['play'],
  ]);
  leave();
  expect(session.keys.size).toBe(0);
});

test.each<[title: string, state: State]>([
  ['that never played', AT_REST],
  ['after which another one played', { ...PLAYING, wanted: false, playedLast: false }],
])('a tab %s answers no key', (_, next) => {
  answerMediaKeys(store, () => 'Radio Uno');
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
  expect(answerMediaKeys(store, () => 'Radio Uno')).not.toThrow();
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answerMediaKeys } from '../../../../client/dashboard/player/mediaKeys.ts';
import { PLAYER_AT_REST, type PlayerState } from '../../../../client/dashboard/player/playerState.ts';

const session = {
  metadata: null as unknown,
  playbackState: 'none',
  keys: new Map<string, () => void>(),
  unknownKeys: [] as string[],
  setActionHandler(key: string, act: (() => void) | null) {
    if (session.unknownKeys.includes(key)) throw new TypeError('unknown');
    if (act) session.keys.set(key, act);
    else session.keys.delete(key);
  },
};

let state: PlayerState;
let changed: () => void;
const player = {
  state: () => state,
  subscribe: (onChange: () => void) => {
    changed = onChange;
    return () => undefined;
  },
  play: vi.fn(),
  pause: vi.fn(),
};

function become(next: PlayerState): void {
  state = next;
  changed();
}

beforeEach(() => {
  vi.stubGlobal('navigator', { mediaSession: session });
  vi.stubGlobal('MediaMetadata', Object);
  session.unknownKeys = [];
  state = PLAYER_AT_REST;
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test("a stream that already plays is shown to the system at once, also after the company's name changed", () => {
  state = { kind: 'playing', attempt: 0, behindSeconds: 0 };
  const leave = answerMediaKeys(player, 'Radio Uno FM');
  expect(session.metadata).toEqual({ title: 'Audio Oficial Premium', artist: 'Radio Uno FM' });
  leave();
});

test.each<PlayerState>([PLAYER_AT_REST, { kind: 'refused' }])(
  'at rest only the play key stays registered: %j',
  (rest) => {
    const leave = answerMediaKeys(player, 'Radio Uno');
    become({ kind: 'playing', attempt: 0, behindSeconds: 0 });
    become(rest);
    expect(session.metadata).toBeNull();
    expect(session.playbackState).toBe('none');
    expect([...session.keys.keys()]).toEqual(['play']);
    leave();
    expect(session.keys.size).toBe(0);
  },
);

test('the media keys still control a stream that is reconnecting', () => {
  const leave = answerMediaKeys(player, 'Radio Uno');
  become({ kind: 'playing', attempt: 0, behindSeconds: 0 });
  become({ kind: 'reconnecting', attempt: 1, likelyRefusals: 0, noOutput: false });
  expect(session.playbackState).toBe('playing');
  expect(session.keys.has('pause')).toBe(true);
  leave();
});

test('a browser that supports fewer media keys, or none, causes no error', () => {
  session.unknownKeys = ['stop'];
  const leave = answerMediaKeys(player, 'Radio Uno');
  become({ kind: 'playing', attempt: 0, behindSeconds: 0 });
  expect(session.keys.has('pause')).toBe(true);
  leave();
  vi.stubGlobal('navigator', {});
  answerMediaKeys(player, 'Radio Uno')();
});

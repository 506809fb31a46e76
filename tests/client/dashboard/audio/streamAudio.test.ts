// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { browserClock } from '../../../../client/browser/browserClock.ts';
import { observedStorage } from '../../../../client/browser/storage.ts';
import type { SoundDevice } from '../../../../client/dashboard/audio/soundDevice.ts';
import type { SoundOutput } from '../../../../client/dashboard/audio/soundOutput.ts';
import { createStreamAudio } from '../../../../client/dashboard/audio/streamAudio.ts';
import { createPage, type Page } from '../../../../client/page/createPage.ts';
import type { Environment, Requests } from '../../../../client/page/environment.ts';
import { PLAYER_AT_REST } from '../../../../client/page/player/playerState.ts';
import { TOKEN_LIFETIME_MS } from '../../../../shared/tokenLifetime.ts';
import { BASE } from '../../page/player/testPlayer.ts';
import { storedRecords } from '../../storedRecords.ts';
import { domException, FakeAudio } from './fakeAudio.ts';

const ACCOUNT = { id: 'a1', company: 'Radio Demo' };
const ADDRESS = `${BASE}first==`;

let audio: FakeAudio;
let spare: FakeAudio;
let made: FakeAudio[];
let muted: Set<unknown>;
let isDeviceMissing: boolean;
let failCreation: () => void;
let tabStorage: ReturnType<typeof storageInMemory>;
let page: Page;
const track = vi.fn();

const output: SoundOutput = {
  measures: false,
  setReadable: () => undefined,
  add: () => undefined,
  setVolume: () => undefined,
  setAudible(element, audible) {
    if (audible) muted.delete(element);
    else muted.add(element);
  },
  peak: () => 0.5,
  close: () => undefined,
};

const device: SoundDevice = {
  isMissing: () => isDeviceMissing,
  check: () => undefined,
  failed: () => undefined,
};

const openAudio: Environment['openAudio'] = (onEvent) =>
  createStreamAudio(output, device, makeElement, body, onEvent);
const body = { append: (element: unknown) => Object.assign(element as FakeAudio, { attached: true }) };

function makeElement(): HTMLAudioElement {
  const element = new FakeAudio();
  made.push(element);
  return element.element;
}

beforeEach(async () => {
  vi.useFakeTimers();
  muted = new Set();
  isDeviceMissing = false;
  await openPage(openAudio);
});

async function openPage(openAudio: Environment['openAudio']): Promise<void> {
  made = [];
  const storage = storageInMemory();
  tabStorage = storageInMemory();
  storedRecords(storage).keepAccount(ACCOUNT);
  storedRecords(storage).keepToken({ token: 'first==', expiresAt: Date.now() + TOKEN_LIFETIME_MS });
  const requests: Requests = {
    createToken: () =>
      new Promise((resolve) => {
        failCreation = () => resolve({ failure: { code: 'UNKNOWN' } });
      }),
    dashboard: async () => ({ session: null, stream: { baseUrl: BASE } }),
  };
  page = createPage({
    storage,
    tabStorage,
    holdLock: () => () => {},
    clock: browserClock,
    openAudio,
    askStream: async () => 'none',
    track,
  });
  page.connect(requests);
  await vi.advanceTimersByTimeAsync(0);
  [audio, spare] = made as [FakeAudio, FakeAudio];
}

function storageInMemory() {
  return observedStorage(() => {
    throw new Error('storage is switched off');
  });
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const player = () => {
  const state = page.state();
  return state.kind === 'signedIn' ? state.dashboard.player : PLAYER_AT_REST;
};
const play = () => page.send({ type: 'playPressed' });
const pause = () => page.send({ type: 'pausePressed' });
const isHeard = (element: FakeAudio) => !element.paused && !muted.has(element) && element.attached;

test('a play opens the address in the element of the body', () => {
  play();
  expect([audio.opened, isHeard(audio), page.peak()]).toEqual([[ADDRESS], true, null]);
  audio.sound();
  expect(page.peak()).toBe(0.5);
  expect(track.mock.calls).toEqual([['play']]);
});

test('a pause lets go of the connection and of all timers', async () => {
  play();
  audio.sound();
  await audio.runsDry();
  pause();
  expect([audio.paused, audio.src, spare.src]).toEqual([true, undefined, undefined]);
  // The token's expiry.
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([player().wanted, tabStorage.getItem('sound_wanted')]).toEqual([false, null]);
});

test('a stream that does not open is tried again', async () => {
  play();
  audio.tell('error');
  await vi.advanceTimersByTimeAsync(15_000);
  expect(audio.opened).toEqual([ADDRESS, ADDRESS]);
});

test('wanted sound is remembered in this tab', () => {
  play();
  expect(tabStorage.getItem('sound_wanted')).toBe(ACCOUNT.id);
});

test('lost sound is tried again once the clock is right again', async () => {
  play();
  audio.sound();
  vi.setSystemTime(Date.now() - 3_600_000);
  audio.tell('ended');
  await vi.advanceTimersByTimeAsync(20_000);
  expect(audio.opened).toHaveLength(1);
  vi.setSystemTime(Date.now() + 3_600_000);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(audio.opened).toHaveLength(2);
});

test('a body that ends lets go of the connection and of all timers', () => {
  play();
  page.send({ type: 'signOutPressed' });
  expect([audio.src, vi.getTimerCount()]).toEqual([undefined, 0]);
});

describe('a replacement', () => {
  beforeEach(async () => {
    play();
    audio.sound();
    await audio.runsDry();
  });

  test('opens unheard beside the connection that is heard', () => {
    expect(spare.opened).toHaveLength(1);
    const { origin, pathname, search, hash } = new URL(spare.opened[0] ?? '');
    expect(origin + pathname + search).toBe(ADDRESS);
    // Firefox would otherwise copy the first element's connection.
    expect(hash).not.toBe('');
    expect([isHeard(audio), muted.has(spare)]).toEqual([true, true]);
  });

  test('takes the other’s place as soon as it sounds', () => {
    spare.sound();
    expect([isHeard(audio), isHeard(spare), audio.src]).toEqual([false, true, undefined]);
  });
});

describe('a held connection', () => {
  beforeEach(() => {
    play();
    audio.sound();
    page.send({ type: 'createPressed', isFirstClick: true });
  });

  const release = () => {
    failCreation();
    return vi.advanceTimersByTimeAsync(0);
  };

  test('plays on unheard outside the body', async () => {
    await audio.playsOn(60);
    expect([audio.paused, audio.attached, muted.has(audio)]).toEqual([false, false, true]);
    expect([spare.attached, spare.paused, page.peak()]).toEqual([true, true, null]);
  });

  test('is heard again without delay when released', async () => {
    await audio.playsOn(10);
    await release();
    expect([isHeard(audio), audio.opened]).toEqual([true, [ADDRESS]]);
    await audio.playsOn(10);
    expect(spare.opened).toEqual([]);
  });

  test('that the browser did not let play on plays on when released', async () => {
    await release();
    await audio.playsOn(1);
    audio.refusal = domException('NotAllowedError');
    page.send({ type: 'createPressed', isFirstClick: true });
    await vi.advanceTimersByTimeAsync(20_000);
    expect([audio.paused, audio.src]).toEqual([true, ADDRESS]);
    audio.refusal = null;
    await release();
    expect(isHeard(audio)).toBe(true);
  });
});

test('a page that measures is told of a connection that it does not measure', () => {
  const told: unknown[] = [];
  const readable: boolean[] = [];
  const measuring = {
    ...output,
    measures: true,
    setReadable: (_: unknown, isReadable: boolean) => readable.push(isReadable),
  };
  const { run } = createStreamAudio(measuring, device, makeElement, body, (id, event) =>
    told.push([id, event]),
  );
  run({ type: 'open', id: 7, url: BASE, isPlain: false, isBeside: false });
  run({ type: 'open', id: 8, url: BASE, isPlain: true, isBeside: true });
  expect([told, readable]).toEqual([[[8, { type: 'unmeasured' }]], [true, false]]);
});

describe('without a sound device', () => {
  beforeEach(() => {
    isDeviceMissing = true;
  });

  test('no connection is opened', async () => {
    play();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([audio.opened, player().answers.last]).toEqual([[], 'noOutput']);
  });

  test('sound is heard as soon as the device is back', () => {
    play();
    isDeviceMissing = false;
    page.send({ type: 'outputReturned' });
    expect(isHeard(audio)).toBe(true);
  });
});

test('sound is lost, and its replacement too, when the sound device goes', async () => {
  play();
  audio.sound();
  await audio.runsDry();
  isDeviceMissing = true;
  await vi.advanceTimersByTimeAsync(400);
  expect([audio.src, spare.src]).toEqual([undefined, undefined]);
  expect(player().answers.last).toBe('noOutput');
});

describe('a browser that an extension changed', () => {
  beforeEach(() => void vi.spyOn(console, 'warn').mockReturnValue());

  const breaks = (name: 'play' | 'pause' | 'buffered') =>
    Object.defineProperty(audio, name, {
      get: () => {
        throw new TypeError(name);
      },
    });

  const playReturnsNothing = (plays: boolean) => {
    audio.play = () => {
      audio.paused = !plays;
      return undefined as unknown as Promise<void>;
    };
  };

  test('plays and pauses although its `play` returns nothing', async () => {
    playReturnsNothing(true);
    play();
    audio.sound();
    await audio.playsOn(10);
    expect([audio.opened, player().heard?.phase]).toEqual([[ADDRESS], 'playing']);
    pause();
    expect([audio.paused, audio.src]).toEqual([true, undefined]);
  });

  test('asks for another press if its `play` does nothing', async () => {
    playReturnsNothing(false);
    play();
    await vi.advanceTimersByTimeAsync(6_000);
    expect([player().obstacle, audio.src]).toEqual(['blocked', undefined]);
  });

  test('lets go of a connection whose `play` throws, and tries again', async () => {
    breaks('play');
    play();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(audio.opened.length).toBeGreaterThan(1);
    pause();
    expect([audio.src, player().opening]).toEqual([undefined, null]);
  });

  test('is silent after a pause although its elements cannot pause', async () => {
    play();
    audio.sound();
    await audio.playsOn(1);
    breaks('pause');
    pause();
    expect([audio.src, player().wanted, vi.getTimerCount()]).toEqual([undefined, false, 1]);
  });

  test('plays on a later attempt if no audio could be opened before', async () => {
    let failures = 2;
    await openPage((onEvent, onDeviceReturn) => {
      failures -= 1;
      if (failures >= 0) throw new TypeError('made up');
      return openAudio(onEvent, onDeviceReturn);
    });
    play();
    expect([player().heard, page.peak()]).toEqual([null, null]);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(made.map(isHeard)).toEqual([true, false]);
  });

  test('lets go of a connection that is closed while its `play` runs', () => {
    audio.play = () => {
      page.send({ type: 'signOutPressed' });
      return new Promise(() => undefined);
    };
    play();
    expect(audio.src).toBeUndefined();
  });

  test('replaces a connection that cannot be watched', async () => {
    play();
    audio.sound();
    breaks('buffered');
    await vi.advanceTimersByTimeAsync(1_000);
    expect([audio.opened.length, player().dropout?.kind]).toEqual([2, 'ongoing']);
  });
});

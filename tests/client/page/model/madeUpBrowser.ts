import { observedStorage } from '../../../../client/browser/storage.ts';
import { answerOf } from '../../../../client/dashboard/audio/askStream.ts';
import type { ConnectionEvent } from '../../../../client/page/player/connectionEvents.ts';
import type { AudioEffect } from '../../../../client/page/player/playerEffects.ts';
import type { StreamAnswer } from '../../../../client/page/player/streamAnswer.ts';
import { STORAGE_KEYS } from '../../../../client/page/storageKeys.ts';
import { sealOf, sealText } from '../../../../client/page/tokenSeal.ts';
import { TOKEN_LIFETIME_MS } from '../../../../shared/tokenLifetime.ts';
import { storedRecords } from '../../storedRecords.ts';
import { loadPage, type TabPage } from './tabPage.ts';

export const ACCOUNTS = {
  a1: { id: 'a1', company: 'Radio Demo' },
  a2: { id: 'a2', company: 'Otra Radio' },
};
export type AccountId = keyof typeof ACCOUNTS;
const NINE_PM = Date.UTC(2026, 10, 21, 21);
const ANSWER_TIMEOUT_MS = 16_900;
const LONGEST_STORAGE_DELAY_MS = 700;
const LONGEST_LOCK_WAIT_MS = 1_000;
const LONGEST_LOCK_DELAY_MS = 50;
const SOON_MS = 20;
const BUFFERED_MS = 5_000;
const ASKED_AGAIN_MS = 5_000;

export type StreamMode = 'plays' | 'hangs' | 'failsOnce' | Exclude<StreamAnswer, 'audio'>;
export type ServerMode = 'answers' | 'rejects' | 'offline' | 'never' | 'html' | 'providerFails' | 'tooMany';

export type Connection = {
  id: number;
  sounds: boolean;
  /** Since when it has played nothing. */
  openedAt: number;
  quietSince: number;
  /** When its data ended, by a fault; it sounds on for what is buffered. */
  dataEndedAt: number | null;
  held: boolean;
  pausedOutside: boolean;
};

/** The next call of it throws this, with or without having done its work. */
export type Breakable = AudioEffect['type'] | 'openAudio' | 'askStream';

export type Tab = {
  number: number;
  page: TabPage;
  connections: Map<number, Connection>;
  /** The last press of the player's button in this tab asked for sound. */
  asksForSound: boolean;
  /** The stream’s true answer to this tab’s last question. */
  lastAnswer: StreamAnswer | null;
  /** How many questions this tab has asked the stream. */
  questions: number;
  /** When the player's button was last pressed here. */
  pressedAt: number;
  createPressedAt: number;
  breaks: Set<Breakable>;
  refusesWrites: boolean;
  refusedWriteAt: number;
  /** The browser refused to store where the sound is, and this tab has not written it since. */
  refusedSound: boolean;
  hidden: boolean;
  /** Events that wait until the page leaves the browser's back/forward cache; null while it is not in there. */
  waiting: (() => void)[] | null;
  openedAt: number;
  learned: { token: string | null; at: number };
};

type Storage = {
  view: Map<string, string>;
  ownWrites: Map<string, number>;
  events: EventTarget;
  changedUntil: number;
  deliveredUntil: number;
};

/** A page that asked for a lock. Of each lock the first request holds it. */
type LockRequest = { name: string; tab: Tab; grant: () => void };

/** A browser with two tabs, a server and a stream, in which everything happens at a time of its own. */
export type MadeUpBrowser = ReturnType<typeof madeUpBrowser>;

export function madeUpBrowser(chanceSeed: number, onStep: () => void) {
  const random = mulberry32(chanceSeed);
  const between = (leastMs: number, mostMs: number) => leastMs + random() * (mostMs - leastMs);
  const agenda: { at: number; act: () => void }[] = [];
  const tabs: Tab[] = [];
  const storages = new Map<Tab, Storage>();
  const tabStorages = new Map<Tab, Map<string, string>>();
  let lockRequests: LockRequest[] = [];
  /** `expiresAt`: as the browser noted it; `endsAtMs`: the true end; `tab`: the one that asked, null for the third. */
  type Made = { expiresAt: number; endsAtMs: number; base: string; account: string; tab: Tab | null };
  /** The tokens that the server made. */
  const tokens = new Map<string, Made>();
  /** The sessions that the server knows: their accounts by number. */
  const sessions = new Map<number, string>([[1, ACCOUNTS.a1.id]]);
  const world = {
    nowMs: 0,
    /** By how much the wall clock was set ahead, and when it last was. */
    clockAheadMs: 0,
    clockSetAt: Number.NEGATIVE_INFINITY,
    stream: 'plays' as StreamMode,
    server: 'answers' as ServerMode,
    serverAnswersSince: 0,
    streamPlaysSince: 0,
    base: 'https://audio0.example/live?sign=',
    /** The number of the session whose cookie the browser has. */
    cookie: 1,
    lastSession: 1,
    /** When the token on record was written. */
    tokenWrittenAt: 0,
    /** The browser has no locks, from then on. */
    locksRefused: false,
    /** A page was closed that could not store that its sound ended, as at a crash; nobody has written since. */
    soundLeftBehind: false,
    /** The last time at which a person pressed a button, and how many requests prolonged the session without. */
    pressedAt: -1,
    prolongedUnasked: 0,
    /** The browser changes values before it delivers the events of those changes. */
    valuesComeEarly: chanceSeed % 2 === 1,
    /** Another program writes tokens without a seal, in place of the third tab. */
    thirdSealsNothing: chanceSeed % 4 > 1,
  };
  /** The storage as a new tab finds it. */
  const stored = new Map([
    [STORAGE_KEYS.account as string, JSON.stringify({ logged: true, ...ACCOUNTS.a1 })],
  ]);
  let writes = 0;
  const epochMs = () => NINE_PM + world.nowMs + world.clockAheadMs;

  function later(ms: number, act: () => void): () => void {
    const item = { at: Math.ceil(world.nowMs + ms), act };
    const index = agenda.findIndex(({ at }) => at > item.at);
    agenda.splice(index < 0 ? agenda.length : index, 0, item);
    return () => {
      const at = agenda.indexOf(item);
      if (at >= 0) agenda.splice(at, 1);
    };
  }

  async function flush(): Promise<void> {
    for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
    onStep();
  }

  /** Lets time pass, with everything that is due. */
  async function passes(ms: number): Promise<void> {
    const until = world.nowMs + ms;
    for (let next = agenda[0]; next !== undefined && next.at <= until; next = agenda[0]) {
      agenda.shift();
      world.nowMs = Math.max(world.nowMs, next.at);
      next.act();
      await flush();
    }
    world.nowMs = until;
    await flush();
  }

  function write(from: Tab | null, key: string, value: string | null): void {
    if ((stored.get(key) ?? null) === value) return;
    if (key === STORAGE_KEYS.token) world.tokenWrittenAt = world.nowMs;
    if (key === STORAGE_KEYS.soundIn) world.soundLeftBehind = false;
    writes += 1;
    const order = writes;
    put(stored, key, value);
    for (const [tab, storage] of storages) {
      if (tab === from) {
        put(storage.view, key, value);
        storage.ownWrites.set(key, order);
        continue;
      }
      storage.changedUntil = Math.max(storage.changedUntil, world.nowMs + between(0, SOON_MS));
      storage.deliveredUntil = Math.max(
        storage.deliveredUntil,
        storage.changedUntil,
        world.nowMs + between(1, LONGEST_STORAGE_DELAY_MS),
      );
      const change = () => {
        if (storages.get(tab) !== storage) return;
        if (order > (storage.ownWrites.get(key) ?? 0)) put(storage.view, key, value);
      };
      if (world.valuesComeEarly) later(storage.changedUntil - world.nowMs, change);
      later(storage.deliveredUntil - world.nowMs, () => {
        if (!world.valuesComeEarly) change();
        // A page in the back/forward cache gets no events.
        if (storages.get(tab) === storage && tab.waiting === null)
          storage.events.dispatchEvent(
            Object.assign(new Event('storage'), { key, newValue: value, oldValue: null }),
          );
      });
    }
  }

  function openTab(number: number, copied: Map<string, string> | null): Tab {
    const storage: Storage = {
      view: new Map(stored),
      ownWrites: new Map(),
      events: new EventTarget(),
      changedUntil: 0,
      deliveredUntil: 0,
    };
    const tab: Omit<Tab, 'page'> = {
      number,
      connections: new Map(),
      asksForSound: false,
      lastAnswer: null,
      questions: 0,
      pressedAt: Number.NEGATIVE_INFINITY,
      createPressedAt: Number.NEGATIVE_INFINITY,
      breaks: new Set(),
      refusesWrites: false,
      refusedWriteAt: Number.NEGATIVE_INFINITY,
      refusedSound: false,
      hidden: false,
      waiting: null,
      openedAt: world.nowMs,
      learned: { token: null, at: 0 },
    };
    const opened = tab as Tab;
    storages.set(opened, storage);
    tabStorages.set(opened, new Map(copied));
    tabs[number] = opened;
    opened.page = openPage(opened);
    return opened;
  }

  function storageOf(tab: Tab) {
    const set = (key: string, value: string | null) => {
      if (key === STORAGE_KEYS.soundIn) tab.refusedSound = tab.refusesWrites;
      if (tab.refusesWrites) {
        if (key === STORAGE_KEYS.token) tab.refusedWriteAt = world.nowMs;
        throw new Error('made up: storage');
      }
      write(tab, key, value);
    };
    return {
      getItem: (key: string) => storages.get(tab)?.view.get(key) ?? null,
      setItem: set,
      removeItem: (key: string) => set(key, null),
    };
  }

  function tabStorageOf(tab: Tab) {
    const kept = tabStorages.get(tab) ?? new Map<string, string>();
    return {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    };
  }

  function openPage(tab: Tab): TabPage {
    let ticks = false;
    const isOpen = () => storages.has(tab);
    /** Does not run once the page was left, and waits while it is in the back/forward cache. */
    const ofPage = (act: () => void) => () => {
      if (!isOpen()) return;
      if (tab.waiting) tab.waiting.push(ofPage(act));
      else act();
    };
    return loadPage({
      storage: observedStorage(
        () => storageOf(tab),
        () => storages.get(tab)?.events ?? new EventTarget(),
      ),
      tabStorage: tabStorageOf(tab),
      holdLock: (name, onAnswer = () => {}) => requestLock(tab, name, onAnswer, ofPage),
      clock: {
        epochMs,
        monotonicMs: () => world.nowMs,
        random,
        // A hidden page's timers come once a minute, a worker's ticks once a second.
        after: (ms, act) => later(ms + (tab.hidden ? between(0, ticks ? 1_000 : 60_000) : 0), ofPage(act)),
        startTicks(onTick) {
          ticks = true;
          let cancel = () => {};
          const tickOn = () => {
            cancel = later(1_000, ofPage(tickOn));
            onTick();
          };
          cancel = later(1_000, ofPage(tickOn));
          return () => {
            ticks = false;
            cancel();
          };
        },
      },
      server: {
        createToken: (account, isAutomatic) => {
          if (!isAutomatic && world.pressedAt !== world.nowMs) world.prolongedUnasked += 1;
          const cookie = world.cookie;
          return answered(ofPage, world.server === 'never' ? ANSWER_TIMEOUT_MS : between(50, 4_000), () =>
            createToken(tab, account, cookie),
          );
        },
        dashboard: (account, isStillAsked, onTrouble) =>
          new Promise((resolve, reject) => {
            const answer = ofPage(() => {
              if (world.server === 'rejects') reject(new Error('made up: rejects'));
              else if (world.server !== 'answers' && world.server !== 'providerFails') {
                onTrouble();
                if (isStillAsked()) later(ASKED_AGAIN_MS, answer);
                else resolve({ failure: { code: 'NO_ANSWER' }, session: null });
              } else resolve(dashboard(account));
            });
            later(between(20, 2_000), answer);
          }),
        login: (account) =>
          answered(ofPage, between(50, 1_000), () => {
            sessions.delete(world.cookie);
            world.lastSession += 1;
            world.cookie = world.lastSession;
            sessions.set(world.cookie, account.id);
            world.serverAnswersSince = world.nowMs;
            return account;
          }),
        logout: ({ session }) => {
          const { cookie } = world;
          return answered(ofPage, between(50, 2_000), () => {
            if (session === null || Number(session) === cookie) sessions.delete(cookie);
          });
        },
      },
      askStream: (url) =>
        new Promise((resolve, reject) => {
          const breaks = tab.breaks.delete('askStream');
          tab.questions += 1;
          const question = tab.questions;
          const wait = world.stream === 'hangs' ? 5_000 : between(5, 2_000);
          later(
            wait,
            ofPage(() => {
              if (breaks) reject(new Error('made up: askStream'));
              const answer = streamAnswer(url);
              if (question === tab.questions) tab.lastAnswer = answer;
              resolve(answer === 'audio' ? answerOf({ status: 200, contentType: 'audio/mpeg' }) : answer);
            }),
          );
        }),
      openAudio: (onEvent) => {
        if (tab.breaks.delete('openAudio')) throw new Error('made up: openAudio');
        /** Of one dashboard and not of the tab. */
        const connections = new Map<number, Connection>();
        tab.connections = connections;
        const isHeard = () => isOpen() && tab.connections === connections && tab.waiting === null;
        const emit = (connection: Connection, event: ConnectionEvent) => {
          if (isHeard() && connections.get(connection.id) === connection) onEvent(connection.id, event);
        };
        emitters.set(connections, emit);
        return {
          run(effect) {
            const breaks = tab.breaks.delete(effect.type);
            // The audio lets go of an element in any case.
            if (!breaks || effect.type === 'close' || random() < 0.5) runAudio(connections, effect, emit);
            if (breaks) throw new Error(`made up: ${effect.type}`);
          },
          check() {},
          peak: () => null,
          close: () => connections.clear(),
        };
      },
    });
  }

  function answered<Result>(
    ofPage: (act: () => void) => () => void,
    afterMs: number,
    answer: () => Result,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      later(
        afterMs,
        ofPage(() => {
          if (world.server === 'rejects') reject(new Error('made up: rejects'));
          else resolve(answer());
        }),
      );
    });
  }

  function requestLock(
    tab: Tab,
    name: string,
    onAnswer: (isGranted: boolean) => void,
    ofPage: (act: () => void) => () => void,
  ): () => void {
    const answer = (isGranted: boolean) =>
      later(
        between(1, LONGEST_LOCK_DELAY_MS),
        ofPage(() => onAnswer(isGranted)),
      );
    if (world.locksRefused) {
      answer(true);
      return () => {};
    }
    let isGranted = false;
    const request: LockRequest = {
      name,
      tab,
      grant() {
        if (!isGranted) answer(true);
        isGranted = true;
      },
    };
    lockRequests.push(request);
    grantLocks();
    later(LONGEST_LOCK_WAIT_MS, () => {
      if (isGranted || !lockRequests.includes(request)) return;
      withdraw(request);
      answer(false);
    });
    return () => withdraw(request);
  }

  function withdraw(request: LockRequest): void {
    lockRequests = lockRequests.filter((each) => each !== request);
    grantLocks();
  }

  function grantLocks(): void {
    const names = new Set(lockRequests.map(({ name }) => name));
    for (const name of names) lockRequests.find((request) => request.name === name)?.grant();
  }

  const emitters = new Map<
    Map<number, Connection>,
    (connection: Connection, event: ConnectionEvent) => void
  >();

  function runAudio(
    connections: Map<number, Connection>,
    effect: AudioEffect,
    emit: (connection: Connection, event: ConnectionEvent) => void,
  ): void {
    if (effect.type === 'open') {
      const connection: Connection = {
        id: effect.id,
        sounds: false,
        openedAt: world.nowMs,
        quietSince: world.nowMs,
        dataEndedAt: null,
        held: false,
        pausedOutside: false,
      };
      connections.set(effect.id, connection);
      const isValid = canOpen(effect.url);
      if (world.stream === 'plays' && isValid) {
        later(between(20, 900), () => sound(connections, connection, emit));
      } else if (world.stream === 'hangs') {
        staysQuiet(connection, emit);
      } else {
        if (world.stream === 'failsOnce') setStream('plays');
        later(between(10, 500), () => ends(connections, connection, 'unopened'));
      }
      return;
    }
    const connection = connections.get(effect.id);
    if (effect.type === 'close') connections.delete(effect.id);
    if (!connection) return;
    if (effect.type === 'hold') {
      connection.held = true;
      // Leaving the document interrupts an element.
      later(30, () => connection.held && emit(connection, { type: 'waiting' }));
    }
    if (effect.type === 'release') {
      connection.held = false;
      later(200, () => connection.sounds && emit(connection, { type: 'playing' }));
    }
    if (effect.type === 'resume') later(50, () => sound(connections, connection, emit));
  }

  function sound(
    connections: Map<number, Connection>,
    connection: Connection,
    emit: (connection: Connection, event: ConnectionEvent) => void,
  ): void {
    if (connections.get(connection.id) !== connection) return;
    Object.assign(connection, { sounds: true, pausedOutside: false });
    emit(connection, { type: 'playing' });
  }

  function staysQuiet(
    connection: Connection,
    emit: (connection: Connection, event: ConnectionEvent) => void,
  ): void {
    const since = world.nowMs;
    Object.assign(connection, { sounds: false, quietSince: since });
    for (const stalledMs of [600, 5_000, 15_000])
      later(stalledMs, () => {
        if (!connection.sounds && connection.quietSince === since && !connection.pausedOutside)
          emit(connection, { type: 'stalled', forMs: stalledMs, hasData: false });
      });
  }

  function ends(
    connections: Map<number, Connection>,
    connection: Connection,
    how: 'lost' | 'unopened' | 'blocked',
  ): void {
    if (connections.get(connection.id) !== connection) return;
    emitters.get(connections)?.(connection, { type: how });
    connections.delete(connection.id);
  }

  function canOpen(url: string): boolean {
    const [, base = '', token = ''] = /^(.*=)(t\d+)/.exec(url) ?? [];
    const made = tokens.get(token);
    return made !== undefined && base === world.base && world.nowMs < made.endsAtMs;
  }

  function streamAnswer(url: string): StreamAnswer {
    if (world.stream === 'hangs') return 'none';
    if (world.stream !== 'plays' && world.stream !== 'failsOnce') return world.stream;
    return canOpen(url) ? 'audio' : 'refused';
  }

  function setStream(mode: StreamMode): void {
    if (mode === 'plays' && world.stream !== 'plays') world.streamPlaysSince = world.nowMs;
    world.stream = mode;
  }

  /** Why the server refuses a request that was sent with this cookie. */
  function refusal(
    asked: string | null,
    cookie: number,
  ): { code: 'UNAUTHENTICATED' | 'OTHER_ACCOUNT' } | null {
    const account = sessions.get(cookie);
    if (account === undefined) return { code: 'UNAUTHENTICATED' };
    return account === asked ? null : { code: 'OTHER_ACCOUNT' };
  }

  function dashboard(asked: string | null) {
    const { cookie } = world;
    const failure = refusal(asked, cookie);
    if (failure) return { failure, session: null };
    const session = ACCOUNTS[sessions.get(cookie) as AccountId];
    return { data: { session, stream: { baseUrl: world.base } }, session: String(cookie) };
  }

  function createToken(tab: Tab, asked: string | null, cookie: number) {
    const refused = refusal(asked, cookie);
    if (refused) return { failure: refused, session: null };
    const session = String(cookie);
    switch (world.server) {
      case 'offline':
        return { failure: { code: 'NO_NETWORK' as const }, session };
      case 'never':
        return { failure: { code: 'NO_ANSWER' as const }, session };
      case 'providerFails':
        return { failure: { code: 'PROVIDER_UNAVAILABLE' as const }, session };
      case 'tooMany':
        return { failure: { code: 'RATE_LIMITED' as const, retryAfterSeconds: 40 }, session };
      case 'answers':
        return { data: newToken(sessions.get(cookie) as AccountId, tab), session };
      default:
        return { failure: { code: 'UNKNOWN' as const }, session };
    }
  }

  function newToken(account: AccountId, tab: Tab | null) {
    const token = `t${tokens.size + 1}`;
    const endsAtMs = world.nowMs + TOKEN_LIFETIME_MS;
    const expiresAt = epochMs() + TOKEN_LIFETIME_MS;
    tokens.set(token, { expiresAt, endsAtMs, base: world.base, account, tab });
    const { company } = ACCOUNTS[account];
    return { token, streamUrl: world.base + token, company, lifetimeSeconds: 1_200 };
  }

  const browser = {
    world,
    tabs,
    tokens,
    stored,
    sessions,
    epochMs,
    passes,
    setStream,
    tab: (number: number) => tabs[number] as Tab,
    storageOf,
    tabStorageOf,
    recordsOf: (tab: Tab) => storedRecords(storageOf(tab)),
    setClock(byMs: number) {
      world.clockAheadMs += byMs;
      world.clockSetAt = world.nowMs;
    },
    setServer(mode: ServerMode) {
      if (mode === 'answers' && world.server !== 'answers') world.serverAnswersSince = world.nowMs;
      world.server = mode;
    },
    moveBase() {
      world.base = `https://audio${Number(/\d+/.exec(world.base)) + 1}.example/live?sign=`;
    },
    /** The connection that is heard in a tab, or will be. */
    /** The one that is heard, or opens where none is. */
    connectionOf(tab: Tab) {
      const player = tab.page.shown()?.player;
      return tab.connections.get((player?.heard ?? player?.opening)?.id ?? -1);
    },
    faults: {
      lost: (tab: Tab, connection: Connection) => ends(tab.connections, connection, 'lost'),
      blocked: (tab: Tab, connection: Connection) =>
        !connection.sounds && ends(tab.connections, connection, 'blocked'),
      runsDry(tab: Tab, connection: Connection) {
        if (connection.dataEndedAt !== null || !connection.sounds) return;
        connection.dataEndedAt = world.nowMs;
        const emit = emitters.get(tab.connections);
        if (!emit) return;
        for (const ms of [1_200, 1_800]) later(ms, () => emit(connection, { type: 'dataStopped' }));
        later(BUFFERED_MS, () => {
          staysQuiet(connection, emit);
          emit(connection, { type: 'waiting' });
        });
      },
      silent: (tab: Tab, connection: Connection) =>
        connection.sounds && emitters.get(tab.connections)?.(connection, { type: 'silent' }),
      audible: (tab: Tab, connection: Connection) =>
        connection.sounds && emitters.get(tab.connections)?.(connection, { type: 'audible' }),
      pausedOutside(tab: Tab, connection: Connection) {
        if (!connection.sounds || connection.held) return;
        connection.pausedOutside = true;
        emitters.get(tab.connections)?.(connection, { type: 'pausedOutside' });
      },
    },
    leave(tab: Tab) {
      if (!storages.has(tab)) return;
      tab.page.send({ type: 'pageLeft' });
      if (tab.refusedSound) world.soundLeftBehind = true;
      storages.delete(tab);
      lockRequests = lockRequests.filter((request) => request.tab !== tab);
      grantLocks();
      tab.connections = new Map();
    },
    reload(tab: Tab) {
      browser.leave(tab);
      const loaded = openTab(tab.number, tabStorages.get(tab) ?? null);
      loaded.asksForSound = tab.asksForSound;
    },
    /** Closes the other tab and opens a new one in its place, as a copy or empty. */
    openBeside(tab: Tab, isCopy: boolean) {
      const other = browser.tab(1 - tab.number);
      browser.leave(other);
      const copied = isCopy && stored.has(STORAGE_KEYS.account) ? tabStorages.get(tab) : null;
      openTab(other.number, copied ?? null);
    },
    /** The partner follows a link, and the browser keeps the page in its back/forward cache. */
    goForward(tab: Tab) {
      if (tab.waiting) return;
      tab.page.send({ type: 'pageLeft' });
      tab.waiting = [];
    },
    goBack(tab: Tab) {
      const { waiting } = tab;
      if (waiting === null) return;
      tab.waiting = null;
      tab.learned.at = world.nowMs;
      storages.get(tab)?.events.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
      for (const act of waiting) later(0, act);
    },
    signIn: (tab: Tab, account: AccountId) => tab.page.signIn(ACCOUNTS[account]).catch(() => undefined),
    signOut: (tab: Tab) => tab.page.signOut(),
    /** Another program sets the expiry on record to `none or expired`. */
    unsetExpiry: () => stored.has(STORAGE_KEYS.token) && write(null, STORAGE_KEYS.tokenExpire, '0'),
    /** A third tab marks a token as expired, and has not heard yet that another one took its place. */
    lateTabExpires() {
      const account = JSON.parse(stored.get(STORAGE_KEYS.account) ?? 'null');
      const [late] = tokens.keys();
      if (account === null || late === undefined || late === stored.get(STORAGE_KEYS.token)) return;
      write(null, STORAGE_KEYS.tokenExpire, '0');
      write(null, STORAGE_KEYS.tokenSeal, sealText(sealOf({ token: late, expiresAt: 0 }, account.id)));
    },
    /** A third tab makes a token and writes it. */
    thirdTabCreates() {
      // No two answers of a server come within a millisecond.
      if ([...tokens.values()].some(({ expiresAt }) => expiresAt === epochMs() + TOKEN_LIFETIME_MS)) return;
      const account = sessions.get(world.cookie) as AccountId | undefined;
      const onRecord = stored.get(STORAGE_KEYS.account);
      if (!account || !onRecord?.includes(`"${account}"`)) return;
      if (tabs.some((tab) => storages.get(tab)?.view.get(STORAGE_KEYS.account) !== onRecord)) return;
      const { token } = newToken(account, null);
      const third = {
        getItem: (key: string) => stored.get(key) ?? null,
        setItem: (key: string, value: string) => write(null, key, value),
        removeItem: (key: string) => write(null, key, null),
      };
      const expiresAt = tokens.get(token)?.expiresAt ?? 0;
      if (!world.thirdSealsNothing) return storedRecords(third).keepToken({ token, expiresAt });
      third.setItem(STORAGE_KEYS.tokenExpire, String(expiresAt));
      third.setItem(STORAGE_KEYS.token, token);
    },
  };

  for (const number of [0, 1]) openTab(number, null);
  return browser;
}

function put(view: Map<string, string>, key: string, value: string | null): void {
  if (value === null) view.delete(key);
  else view.set(key, value);
}

/** A small generator of random numbers from 0 to 1 that a seed makes repeatable. */
function mulberry32(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

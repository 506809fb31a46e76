import { answerOf } from '../../../../client/dashboard/audio/askStream.ts';
import type { ConnectionEvent } from '../../../../client/dashboard/machine/connectionEvents.ts';
import type { AudioEffect } from '../../../../client/dashboard/machine/playerEffects.ts';
import type { StreamAnswer } from '../../../../client/dashboard/machine/streamAnswer.ts';
import {
  createDashboardStore,
  type DashboardStore,
} from '../../../../client/dashboard/store/dashboardStore.ts';
import type { TabMessage } from '../../../../client/dashboard/store/otherTabs.ts';
import { recordsIn } from '../../../../client/session/localRecords.ts';
import { STORAGE_KEYS } from '../../../../client/session/storage.ts';
import { TOKEN_LIFETIME_MS } from '../../../../shared/tokenLifetime.ts';

const ACCOUNT = { id: 'a1', company: 'Radio Demo' };
const NINE_PM = Date.UTC(2026, 10, 21, 21);
const ANSWER_TIMEOUT_MS = 16_900;
const LONGEST_STORAGE_DELAY_MS = 700;
const LONGEST_MESSAGE_DELAY_MS = 50;
const BUFFERED_MS = 5_000;

export type StreamMode = 'plays' | 'hangs' | 'failsOnce' | Exclude<StreamAnswer, 'audio'>;
export type ServerMode = 'answers' | 'offline' | 'never' | 'html' | 'providerFails' | 'tooMany';

export type Connection = {
  id: number;
  sounds: boolean;
  /** Since when it has played nothing. */
  quietSince: number;
  /** When its data ended, by a fault; it sounds on for what is buffered. */
  dataEndedAt: number | null;
  held: boolean;
  pausedOutside: boolean;
};

export type Tab = {
  number: number;
  store: DashboardStore | null;
  connections: Map<number, Connection>;
  records: ReturnType<typeof recordsIn>;
  /** The last press of the player's button in this tab asked for sound. */
  asksForSound: boolean;
  /** The stream’s true answer to this tab’s last question. */
  lastAnswer: StreamAnswer | null;
  /** The effects of which the next one throws, done or not. */
  breaks: Set<AudioEffect['type']>;
  hidden: boolean;
  openedAt: number;
  learned: { token: string | null; at: number };
};

type Storage = {
  view: Map<string, string>;
  ownWrites: Map<string, number>;
  listeners: Set<(ownKey?: string) => void>;
  deliveredUntil: number;
};

type Receiver = { tab: Tab; receive: (message: TabMessage) => void };

/** A browser with two tabs, a server and a stream, in which everything happens at a time of its own. */
export type MadeUpBrowser = ReturnType<typeof madeUpBrowser>;

export function madeUpBrowser(chanceSeed: number, onStep: () => void) {
  const chance = mulberry32(chanceSeed);
  const between = (leastMs: number, mostMs: number) => leastMs + chance() * (mostMs - leastMs);
  const agenda: { at: number; act: () => void }[] = [];
  const tabs: Tab[] = [];
  const storages = new Map<Tab, Storage>();
  const tabStorages = new Map<Tab, Map<string, string>>();
  const receivers = new Set<Receiver>();
  /** The tokens that the server made: the expiry that the browser noted, the true one, and the base of the address. */
  const tokens = new Map<string, { expiresAt: number; endsAtMs: number; base: string }>();
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
    session: true,
    /** The browser refuses the channel between tabs, open or new; from then on. */
    channelRefused: false,
    /** The last time at which a person pressed a button, and how many requests prolonged the session without. */
    pressedAt: -1,
    prolongedUnasked: 0,
  };
  /** The storage as a new tab finds it. */
  const stored = new Map([[STORAGE_KEYS.account as string, JSON.stringify({ logged: true, ...ACCOUNT })]]);
  let messagesUntil = 0;
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
    writes += 1;
    const order = writes;
    put(stored, key, value);
    for (const [tab, storage] of storages) {
      if (tab === from) {
        put(storage.view, key, value);
        storage.ownWrites.set(key, order);
        for (const listener of [...storage.listeners]) listener(key);
        continue;
      }
      storage.deliveredUntil = Math.max(
        storage.deliveredUntil,
        world.nowMs + between(1, LONGEST_STORAGE_DELAY_MS),
      );
      later(storage.deliveredUntil - world.nowMs, () => {
        if (storages.get(tab) !== storage) return;
        if (order > (storage.ownWrites.get(key) ?? 0)) put(storage.view, key, value);
        if (key === STORAGE_KEYS.logoutPending && value !== null) tab.store?.end();
        for (const listener of [...storage.listeners]) listener();
        if (key === STORAGE_KEYS.account) showDashboard(tab);
      });
    }
  }

  /** As the router does: the dashboard is there for as long as somebody is signed in. */
  function showDashboard(tab: Tab): void {
    if (tab.records.account() !== null && (tab.store === null || tab.store.hasEnded())) openStore(tab);
  }

  function openTab(number: number, copied: Map<string, string> | null): Tab {
    const storage: Storage = {
      view: new Map(stored),
      ownWrites: new Map(),
      listeners: new Set(),
      deliveredUntil: 0,
    };
    const tab: Tab = {
      number,
      store: null,
      connections: new Map(),
      records: recordsIn(storageOf(() => tab)),
      asksForSound: false,
      lastAnswer: null,
      breaks: new Set(),
      hidden: false,
      openedAt: world.nowMs,
      learned: { token: null, at: 0 },
    };
    storages.set(tab, storage);
    tabStorages.set(tab, new Map(copied));
    tabs[number] = tab;
    return tab;
  }

  function storageOf(tab: () => Tab) {
    return {
      getItem: (key: string) => storages.get(tab())?.view.get(key) ?? null,
      setItem: (key: string, value: string) => write(tab(), key, value),
      removeItem: (key: string) => write(tab(), key, null),
      subscribe(onChange: (ownKey?: string) => void) {
        storages.get(tab())?.listeners.add(onChange);
        return () => void storages.get(tab())?.listeners.delete(onChange);
      },
    };
  }

  function openStore(tab: Tab): void {
    let ticks = false;
    /** Of the page and not of the tab, which may be reloaded. */
    const connections = new Map<number, Connection>();
    tab.connections = connections;
    tab.openedAt = world.nowMs;
    const isOpen = () => tab.connections === connections && storages.has(tab);
    const ofPage = (act: () => void) => () => void (isOpen() && act());
    const kept = tabStorages.get(tab) ?? new Map<string, string>();
    tab.store = createDashboardStore(ACCOUNT, {
      storage: storageOf(() => tab),
      tabStorage: {
        getItem: (key) => kept.get(key) ?? null,
        setItem: (key, value) => void kept.set(key, value),
        removeItem: (key) => void kept.delete(key),
      },
      openChannel(onMessage) {
        refuseChannel();
        const receiver: Receiver = { tab, receive: onMessage };
        receivers.add(receiver);
        return {
          postMessage(message) {
            refuseChannel();
            for (const other of receivers) {
              if (other.tab === tab) continue;
              messagesUntil = Math.max(messagesUntil, world.nowMs + between(1, LONGEST_MESSAGE_DELAY_MS));
              later(messagesUntil - world.nowMs, () => receivers.has(other) && other.receive(message));
            }
          },
          close: () => void receivers.delete(receiver),
        };
      },
      clock: {
        epochMs,
        monotonicMs: () => world.nowMs,
        chance,
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
      ask: {
        createToken: (isUnasked) => {
          if (!isUnasked && world.pressedAt !== world.nowMs) world.prolongedUnasked += 1;
          return new Promise((resolve) => {
            const answer = ofPage(() => resolve(createToken(tab)));
            later(world.server === 'never' ? ANSWER_TIMEOUT_MS : between(50, 4_000), answer);
          });
        },
        dashboard: () =>
          new Promise((resolve) => {
            const answer = ofPage(() => {
              if (world.server !== 'answers' && world.server !== 'providerFails') {
                later(5_000, answer);
                return;
              }
              if (!world.session) refuse(tab);
              resolve(world.session ? { session: ACCOUNT, stream: { baseUrl: world.base } } : null);
            });
            later(between(20, 2_000), answer);
          }),
        stream: (url) =>
          new Promise((resolve) => {
            const wait = world.stream === 'hangs' ? 5_000 : between(5, 2_000);
            later(wait, () => {
              tab.lastAnswer = streamAnswer(url);
              resolve(
                tab.lastAnswer === 'audio'
                  ? answerOf({ status: 200, contentType: 'audio/mpeg' })
                  : tab.lastAnswer,
              );
            });
          }),
      },
      openAudio: (onEvent) => {
        const emit = (connection: Connection, event: ConnectionEvent) => {
          if (isOpen() && connections.get(connection.id) === connection) onEvent(connection.id, event);
        };
        emitters.set(connections, emit);
        return {
          run(effect) {
            const breaks = tab.breaks.delete(effect.type);
            // The audio lets go of an element in any case.
            if (!breaks || effect.type === 'close' || chance() < 0.5) runAudio(connections, effect, emit);
            if (breaks) throw new Error(`made up: ${effect.type}`);
          },
          check() {},
          peak: () => null,
          close: () => connections.clear(),
        };
      },
    });
  }

  function refuseChannel(): void {
    if (world.channelRefused) throw new Error('made up: channel');
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
    if (effect.type === 'open' || effect.type === 'openReplacement') {
      const connection: Connection = {
        id: effect.id,
        sounds: false,
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
      later(30, () => connection.held && emit(connection, 'waiting'));
    }
    if (effect.type === 'release') {
      connection.held = false;
      later(200, () => connection.sounds && emit(connection, 'playing'));
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
    emit(connection, 'playing');
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
          emit(connection, { stalledMs, hasData: false });
      });
  }

  function ends(
    connections: Map<number, Connection>,
    connection: Connection,
    how: 'lost' | 'unopened' | 'blocked',
  ): void {
    if (connections.get(connection.id) !== connection) return;
    emitters.get(connections)?.(connection, how);
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

  function createToken(tab: Tab) {
    if (!world.session) {
      refuse(tab);
      return { failure: { code: 'UNAUTHENTICATED' as const } };
    }
    switch (world.server) {
      case 'offline':
        return { failure: { code: 'NO_NETWORK' as const } };
      case 'never':
        return { failure: { code: 'NO_ANSWER' as const } };
      case 'html':
        return { failure: { code: 'UNKNOWN' as const } };
      case 'providerFails':
        return { failure: { code: 'PROVIDER_UNAVAILABLE' as const } };
      case 'tooMany':
        return { failure: { code: 'RATE_LIMITED' as const, retryAfterSeconds: 40 } };
      case 'answers':
        return newToken();
    }
  }

  function newToken() {
    const token = `t${tokens.size + 1}`;
    const endsAtMs = world.nowMs + TOKEN_LIFETIME_MS;
    tokens.set(token, { expiresAt: epochMs() + TOKEN_LIFETIME_MS, endsAtMs, base: world.base });
    return { token, streamUrl: world.base + token, company: ACCOUNT.company, lifetimeSeconds: 1_200 };
  }

  /** The server refused the session: the client's link signs out locally. */
  function refuse(tab: Tab): void {
    tab.records.clear();
  }

  const browser = {
    world,
    tabs,
    tokens,
    epochMs,
    passes,
    setStream,
    tab: (number: number) => tabs[number] as Tab,
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
    connectionOf: (tab: Tab) => tab.connections.get(tab.store?.state().player.connection?.id ?? -1),
    faults: {
      lost: (tab: Tab, connection: Connection) => ends(tab.connections, connection, 'lost'),
      blocked: (tab: Tab, connection: Connection) =>
        !connection.sounds && ends(tab.connections, connection, 'blocked'),
      runsDry(tab: Tab, connection: Connection) {
        if (connection.dataEndedAt !== null || !connection.sounds) return;
        connection.dataEndedAt = world.nowMs;
        const emit = emitters.get(tab.connections);
        if (!emit) return;
        for (const ms of [1_200, 1_800]) later(ms, () => emit(connection, 'dataStopped'));
        later(BUFFERED_MS, () => {
          staysQuiet(connection, emit);
          emit(connection, 'waiting');
        });
      },
      pausedOutside(tab: Tab, connection: Connection) {
        if (!connection.sounds || connection.held) return;
        connection.pausedOutside = true;
        emitters.get(tab.connections)?.(connection, 'pausedOutside');
      },
    },
    leave(tab: Tab) {
      tab.store?.send({ type: 'pageLeft' });
      storages.get(tab)?.listeners.clear();
      for (const receiver of receivers) if (receiver.tab === tab) receivers.delete(receiver);
      tab.connections = new Map();
    },
    reload(tab: Tab) {
      browser.leave(tab);
      storages.delete(tab);
      const loaded = openTab(tab.number, tabStorages.get(tab) ?? null);
      loaded.asksForSound = tab.asksForSound;
      showDashboard(loaded);
    },
    /** Closes the other tab and opens a new one in its place, as a copy or empty. */
    openBeside(tab: Tab, isCopy: boolean) {
      const other = browser.tab(1 - tab.number);
      browser.leave(other);
      storages.delete(other);
      const copied = isCopy && stored.has(STORAGE_KEYS.account) ? tabStorages.get(tab) : null;
      const opened = openTab(other.number, copied ?? null);
      showDashboard(opened);
    },
    signIn(tab: Tab) {
      if (tab.records.account() !== null) return;
      world.session = true;
      world.serverAnswersSince = world.nowMs;
      tab.records.keepAccount(ACCOUNT);
      showDashboard(tab);
    },
    signOut(tab: Tab) {
      if (tab.records.account() === null) return;
      tab.store?.end();
      write(tab, STORAGE_KEYS.logoutPending, ACCOUNT.id);
      tab.records.clear();
      write(tab, STORAGE_KEYS.logoutPending, null);
    },
    /** A third tab makes a token and writes its two keys. */
    thirdTabCreates() {
      // No two answers of a server come within a millisecond.
      if ([...tokens.values()].some(({ expiresAt }) => expiresAt === epochMs() + TOKEN_LIFETIME_MS)) return;
      if (!world.session || tabs.some((tab) => tab.records.account() === null)) return;
      const { token } = newToken();
      write(null, STORAGE_KEYS.tokenExpire, String(tokens.get(token)?.expiresAt));
      write(null, STORAGE_KEYS.token, token);
    },
  };

  for (const number of [0, 1]) openTab(number, null);
  for (const tab of tabs) openStore(tab);
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

import type { StreamAnswer } from '../../../../client/dashboard/player/connection/askStream.ts';
import type { PlayerEffect } from '../../../../client/dashboard/player/playerEffects.ts';
import {
  nextDueAt,
  type PlayerEvent,
  playerMachine,
} from '../../../../client/dashboard/player/playerMachine.ts';
import {
  activeToken,
  PLAYER_AT_REST,
  type PlayerState,
} from '../../../../client/dashboard/player/playerState.ts';
import { playerView } from '../../../../client/dashboard/player/playerView.ts';
import type { StoredToken } from '../../../../client/session/localRecords.ts';
import { TOKEN_LIFETIME_MS } from '../../../../shared/tokenLifetime.ts';
import { BASE } from './testPlayer.ts';

const MINUTE_MS = 60_000;
const MATCH_MS = 120 * MINUTE_MS;
const CHECK_MS = 400;
const BUFFERED_MS = 5_000;
/** A wait of 30 s, an attempt that is not answered for 15 s, and the start of the sound. */
const HEARD_AGAIN_MS = 50_000;
/** In which the page must alarm. */
const ALARMED_MS = 1_000;
/** In which a first connection may still open without an alarm. */
const OPENING_MS = 16_000;

type Stream = 'plays' | 'hangs' | StreamAnswer;

type Connection = {
  id: number;
  replacement: boolean;
  sounds: boolean;
  /** When its data ended, by a fault; it sounds on for what is buffered. */
  endedAt: number | null;
  /** Since when it has played nothing. */
  quietSince: number;
};

/**
 * Plays a match of two hours with faults at random: the machine's effects act on a made-up stream, browser and server,
 * which report back. Returns what went wrong first, null if nothing did.
 */
export function madeUpMatch(seed: number): string | null {
  const random = mulberry32(seed);
  const between = (leastMs: number, mostMs: number) => leastMs + random() * (mostMs - leastMs);
  const oneOf = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;

  let state: PlayerState = PLAYER_AT_REST;
  let nowMs = 0;
  let stream: Stream = 'plays';
  let autoCreate = random() < 0.5;
  let providerWorks = true;
  let tokens = 0;
  let connections: Connection[] = [];
  let wrong: string | null = null;
  /** The last check found all connections sounding. */
  let isQuiet = false;
  /** Since when sound should have been heard, by each of the two properties. */
  let expectedSince: number | null = null;
  let missingSince: number | null = null;
  const agenda: { at: number; act: () => void }[] = [];

  const later = (inMs: number, act: () => void) => {
    const at = nowMs + inMs;
    const index = agenda.findIndex((item) => item.at > at);
    agenda.splice(index < 0 ? agenda.length : index, 0, { at, act });
  };

  function send(event: PlayerEvent): void {
    const at = { monotonicMs: nowMs, epochMs: nowMs, chance: random() };
    const transition = playerMachine(state, { ...event, at });
    const due = nextDueAt(state);
    state = transition.state;
    for (const effect of transition.effects) run(effect);
    const nextDue = nextDueAt(state);
    if (nextDue !== null && nextDue !== due)
      later(Math.max(0, nextDue - nowMs), () => send({ type: 'timePassed' }));
  }

  function run(effect: PlayerEffect): void {
    if (effect.type === 'open' || effect.type === 'openReplacement')
      connect(effect.id, effect.type === 'openReplacement');
    if (effect.type === 'close') connections = connections.filter(({ id }) => id !== effect.id);
    if (effect.type === 'swap') for (const one of connections) one.replacement = one.id !== effect.id;
    if (effect.type === 'resume') later(50, () => resume(effect.id));
    if (effect.type === 'askWhy') {
      const answer = stream === 'plays' || stream === 'hangs' ? 'none' : stream;
      later(between(5, 2_000), () => send({ type: 'answerLearned', id: effect.id, answer }));
    }
    if (effect.type === 'createToken') later(between(100, 5_000), create);
  }

  const isOpen = (id: number) => connections.some((one) => one.id === id);
  const ends = (id: number, report: 'lost' | 'unopened' | 'blocked') => {
    if (!isOpen(id)) return;
    connections = connections.filter((one) => one.id !== id);
    send({ type: 'connectionReported', id, report });
  };
  const reportIfOpen = (id: number, report: Extract<PlayerEvent, { report: unknown }>['report']) => {
    if (isOpen(id)) send({ type: 'connectionReported', id, report });
  };

  /** Plays what was buffered before a pause from outside. */
  function resume(id: number): void {
    const connection = connections.find((one) => one.id === id);
    if (!connection || (state.obstacle !== 'pausedOutside' && state.connection?.phase !== 'starving')) return;
    if (connection.endedAt !== null) connection.endedAt = nowMs;
    connection.sounds = true;
    reportIfOpen(id, 'playing');
  }

  function connect(id: number, replacement: boolean): void {
    const connection: Connection = { id, replacement, sounds: false, endedAt: null, quietSince: nowMs };
    connections = [...connections, connection];
    if (stream === 'plays') {
      later(between(20, 900), () => {
        if (stream !== 'plays' || !isOpen(id)) return;
        connection.sounds = true;
        reportIfOpen(id, 'playing');
      });
    } else if (stream !== 'hangs') {
      later(between(10, 500), () => ends(id, 'unopened'));
    }
  }

  /** Reports the findings of the checks of each connection. */
  function check(): void {
    for (const connection of connections) {
      const { id, endedAt } = connection;
      if (state.obstacle === 'pausedOutside' && id === state.connection?.id) continue;
      if (endedAt !== null && connection.sounds && nowMs >= endedAt + BUFFERED_MS) {
        Object.assign(connection, { sounds: false, quietSince: nowMs });
        reportIfOpen(id, 'waiting');
      }
      if (endedAt !== null && nowMs >= endedAt + 1_200) reportIfOpen(id, 'dataStopped');
      if (!connection.sounds) reportIfOpen(id, { stalledMs: nowMs - connection.quietSince, hasData: false });
    }
    isQuiet = connections.every(({ sounds, endedAt }) => sounds && endedAt === null);
    later(CHECK_MS, check);
  }

  function nextToken(): StoredToken {
    tokens += 1;
    return { token: `t${tokens}`, expiresAt: nowMs + TOKEN_LIFETIME_MS };
  }

  function create(): void {
    if (providerWorks) send({ type: 'creationSucceeded', token: nextToken() });
    else send({ type: 'creationFailed', retryAfterSeconds: oneOf([0, 0, 40]) });
  }

  const FAULTS: (() => void)[] = [
    () => {
      stream = oneOf(['hangs', 'none', 'fault', 'notAudio', 'unreadable', 'refused'] as const);
      for (const connection of connections) {
        const how = oneOf(['lost', 'runsDry', 'playsOn'] as const);
        if (how === 'runsDry') connection.endedAt = nowMs;
        if (how === 'lost') ends(connection.id, 'lost');
      }
      later(oneOf([between(100, 5_000), between(5_000, 60_000), between(60_000, 600_000)]), () => {
        stream = 'plays';
      });
    },
    () => {
      providerWorks = false;
      later(between(1_000, 300_000), () => {
        providerWorks = true;
      });
    },
    () => {
      const heard = state.connection;
      if (heard?.phase !== 'playing') return;
      reportIfOpen(heard.id, 'pausedOutside');
      if (random() < 0.5) later(between(500, 70_000), () => resume(heard.id));
    },
    () => {
      if (state.connection?.phase === 'connecting') ends(state.connection.id, 'blocked');
    },
    () => reportIfOpen(state.connection?.id ?? -1, { behindSeconds: oneOf([3, 8, 20]) }),
    () => {
      const heard = state.connection;
      if (heard?.phase !== 'playing') return;
      reportIfOpen(heard.id, 'waiting');
      later(between(10, 700), () => {
        if (connections.find(({ id }) => id === heard.id)?.sounds) reportIfOpen(heard.id, 'playing');
      });
    },
    () => send({ type: 'cameBack' }),
    () => send({ type: 'playPressed' }),
    () => send({ type: 'pausePressed' }),
    () => send({ type: 'otherTabPlayed', claim: { epochMs: nowMs, chance: 0.5 } }),
    () => send({ type: 'pageLeft' }),
    () => {
      if (state.creations.underWay !== null) return;
      send({ type: 'creationPressed' });
      later(between(100, 9_000), create);
    },
    () => send({ type: 'tokenLearned', token: nextToken() }),
    () => {
      autoCreate = !autoCreate;
      send({ type: 'autoCreateChanged', on: autoCreate });
    },
  ];
  /** Most faults are the stream's; somebody presses play soon after whatever ended it. */
  const WEIGHTED = [
    ...Array(10).fill(FAULTS[0]),
    ...FAULTS,
    ...FAULTS.slice(4, 8),
    ...Array(4).fill(FAULTS[7]),
  ];

  function misfortune(): void {
    oneOf(WEIGHTED)();
    later(oneOf([between(100, 5_000), between(5_000, 120_000)]), misfortune);
  }

  function judge(): void {
    const heard = connections.find((one) => one.id === state.connection?.id);
    const isHeard = heard?.sounds === true && state.obstacle === null && !state.held;
    const { wanted, held, obstacle } = state;
    const now = { monotonicMs: nowMs, epochMs: nowMs, chance: 0 };
    const hasToken = activeToken(state, now) !== null;
    const since = (before: number | null, holds: boolean) => (holds ? (before ?? nowMs) : null);

    const canPlay = wanted && !held && obstacle === null && stream === 'plays' && hasToken;
    expectedSince = since(expectedSince, canPlay && !isHeard);
    if (expectedSince !== null && nowMs - expectedSince > HEARD_AGAIN_MS) wrong ??= 'not heard again';
    const needsCreation = wanted && !held && obstacle === null && !hasToken && state.connection === null;
    const willCreate = state.creations.dueAt !== null || state.creations.underWay !== null;
    if (needsCreation && autoCreate && state.hasPlayed && !willCreate && state.reconnection.dueAt === null)
      wrong ??= 'no creation due';

    const openedMs = Math.max(state.claim?.epochMs ?? 0, state.connection?.phaseSince ?? 0);
    const isOpening = state.reconnection.failed === 0 && nowMs - openedMs < OPENING_MS;
    missingSince = since(missingSince, wanted && !held && !isHeard && !isOpening);
    const token = hasToken ? 'active' : 'expired';
    const view = playerView(state, { token, muted: false, offline: false, serverTrouble: null });
    if (missingSince !== null && nowMs - missingSince > ALARMED_MS && view.alarm === 'none')
      wrong ??= 'no alarm';
  }

  send({ type: 'streamBaseLearned', streamBase: BASE });
  send({ type: 'autoCreateChanged', on: autoCreate });
  send({ type: 'tokenLearned', token: nextToken() });
  later(1_000, () => send({ type: 'playPressed' }));
  later(2_000, check);
  later(between(2_000, 30_000), misfortune);
  while (nowMs < MATCH_MS && wrong === null) {
    const next = agenda.shift();
    if (!next) throw new Error('Nothing happens any more');
    nowMs = next.at;
    next.act();
    if (!isQuiet) judge();
    isQuiet = false;
  }
  return wrong && `${wrong}: ${JSON.stringify(state)}`;
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

import { type Creations, resetCreations } from './creations.ts';
import { dropoutInSleep } from './dropout.ts';
import type { Moment } from './moment.ts';
import {
  activeToken,
  type CurrentConnection,
  GAP_ALLOWED_MS,
  isFarBehind,
  type PlayerState,
} from './playerState.ts';
import {
  forgetAnswer,
  hasLasted,
  type Reconnection,
  recordAnswer,
  recordFailure,
  waitAfter,
} from './reconnectionState.ts';

export type ConnectionReport =
  | 'playing'
  /** The sound waits for data. */
  | 'waiting'
  /** No more data arrives, though buffered sound may still play. Repeated while it lasts. */
  | 'dataStopped'
  | 'dataResumed'
  /** The stream plays digital silence; `audible` ends that. */
  | 'silent'
  | 'audible'
  /** By a headset, the system or another program; `playing` follows if that resumes it. */
  | 'pausedOutside'
  /** How much sound was missed while the machine slept. */
  | { missedMs: number }
  /** How far the sound has fallen behind the live edge since it began. */
  | { behindSeconds: number }
  /** How long nothing has played, whether or not data is buffered. Repeated while it lasts. */
  | { stalledMs: number; hasData: boolean }
  | ConnectionEnd;

/** The reports that end the connection. */
export type ConnectionEnd = (typeof ENDS)[number];

const ENDS = [
  /** By the browser's autoplay rule. */
  'blocked',
  /** Before any sound. */
  'unopened',
  /** After some sound. */
  'lost',
  /** This computer cannot play the sound. */
  'noOutput',
] as const;

function isEnd(report: ConnectionReport): report is ConnectionEnd {
  return ENDS.some((end) => end === report);
}

const STALL_ALLOWED_MS = 5_000;
/** While a connection opens, and where no token could open another. */
const LONG_STALL_ALLOWED_MS = 15_000;

type LossCause = Exclude<ConnectionEnd, 'blocked'>;

type IdentifiedReport = { id: number; report: ConnectionReport };

export function newConnection(
  { id, url }: { id: number; url: string },
  { monotonicMs }: Moment,
): CurrentConnection {
  return {
    id,
    url,
    phase: 'connecting',
    phaseSince: monotonicMs,
    playingSince: null,
    dataStoppedAt: null,
    isDry: false,
    behindSeconds: 0,
    hasNewerToken: false,
  };
}

export function applyReport(state: PlayerState, { id, report }: IdentifiedReport, now: Moment): PlayerState {
  const { connection, replacement } = state;
  if (connection?.id === id) return applyReportOfCurrent(state, connection, report, now);
  if (replacement?.open?.id !== id) return state;
  if (report === 'playing')
    return startPlaying(
      { ...state, replacement: null, replacedAt: now.monotonicMs },
      newConnection(replacement.open, now),
      now,
    );
  if (!isEnd(report) && stalledMs(report) < LONG_STALL_ALLOWED_MS) return state;
  const failures = replacement.failures + 1;
  const dueAt = now.monotonicMs + waitAfter(failures, replacement.since, now);
  return { ...state, replacement: { ...replacement, open: null, failures, dueAt } };
}

function applyReportOfCurrent(
  state: PlayerState,
  connection: CurrentConnection,
  report: ConnectionReport,
  now: Moment,
): PlayerState {
  const changed = (part: Partial<CurrentConnection>) => ({
    ...state,
    connection: { ...connection, ...part },
  });
  const inPhase = (phase: CurrentConnection['phase']) => changed({ phase, phaseSince: now.monotonicMs });
  if (typeof report === 'object') {
    if ('behindSeconds' in report) return changed(report);
    if ('missedMs' in report) return { ...state, dropout: dropoutInSleep(report.missedMs, now) };
    return applyStall(state, connection, report, now);
  }
  switch (report) {
    case 'playing':
      return startPlaying(state, connection, now);
    case 'waiting':
      return connection.phase === 'playing' ? inPhase('waiting') : state;
    case 'dataStopped':
      return applyMissingData(state, connection, now);
    case 'dataResumed':
      return {
        ...changed({ dataStoppedAt: null, isDry: false }),
        replacement: isFarBehind(connection) || connection.hasNewerToken ? state.replacement : null,
      };
    case 'silent':
    case 'audible':
      return { ...state, isProgrammeSilent: report === 'silent' };
    case 'pausedOutside':
      return state.held ? state : { ...inPhase('starving'), replacement: null, obstacle: 'pausedOutside' };
    case 'blocked':
      return { ...state, connection: null, replacement: null, obstacle: 'blocked' };
    case 'unopened':
    case 'lost':
    case 'noOutput':
      return applyLoss(state, report, now);
  }
}

function applyStall(
  state: PlayerState,
  connection: CurrentConnection,
  report: { stalledMs: number; hasData: boolean },
  now: Moment,
): PlayerState {
  const isReplaceable = connection.playingSince !== null && activeToken(state, now) !== null;
  if (report.stalledMs >= (isReplaceable ? STALL_ALLOWED_MS : LONG_STALL_ALLOWED_MS))
    // If data is buffered, the stream is not the cause of the silence.
    return applyLoss(state, report.hasData ? 'noOutput' : 'lost', now);
  const isLongGap = connection.phase === 'playing' && report.stalledMs >= GAP_ALLOWED_MS;
  return isLongGap
    ? { ...state, connection: { ...connection, phase: 'starving', phaseSince: now.monotonicMs } }
    : state;
}

/**
 * The first report starts a replacement; only after half a second is the sound called dry, since WebKit lacks data for
 * moments.
 */
function applyMissingData(state: PlayerState, connection: CurrentConnection, now: Moment): PlayerState {
  const { dataStoppedAt } = connection;
  if (dataStoppedAt === null)
    return {
      ...state,
      connection: { ...connection, dataStoppedAt: now.monotonicMs },
      creations: resetIfSoundLasted(state, now),
    };
  const isDry = now.monotonicMs - dataStoppedAt >= GAP_ALLOWED_MS;
  return isDry === connection.isDry ? state : { ...state, connection: { ...connection, isDry } };
}

/** The connection ended, failed or stopped playing. One that opens beside it takes its place at once. */
function applyLoss(state: PlayerState, cause: LossCause, now: Moment): PlayerState {
  if (state.held || state.obstacle !== null) return { ...state, connection: null };
  const next = state.replacement?.open ?? null;
  const failed = recordFailure(state.reconnection, state.connection?.playingSince ?? null, now);
  const reconnection = recordCause(failed, cause, state.connection);
  const connection = next && newConnection(next, now);
  return { ...state, connection, replacement: null, reconnection, creations: resetIfSoundLasted(state, now) };
}

function recordCause(
  failed: Reconnection,
  cause: LossCause,
  connection: CurrentConnection | null,
): Reconnection {
  switch (cause) {
    case 'unopened':
      return { ...failed, asking: connection };
    case 'lost':
      return forgetAnswer(failed);
    case 'noOutput':
      return recordAnswer(failed, cause);
  }
}

/** A loss after lasting sound is a new one, with creations of its own. */
function resetIfSoundLasted({ connection, creations }: PlayerState, { monotonicMs }: Moment): Creations {
  return hasLasted(connection?.playingSince ?? null, monotonicMs) ? resetCreations(creations) : creations;
}

function startPlaying(
  state: PlayerState,
  connection: CurrentConnection,
  { monotonicMs }: Moment,
): PlayerState {
  return {
    ...state,
    hasPlayed: true,
    obstacle: null,
    connection: {
      ...connection,
      phase: 'playing',
      phaseSince: monotonicMs,
      playingSince: connection.playingSince ?? monotonicMs,
    },
    reconnection: { ...forgetAnswer(state.reconnection), dueAt: null },
  };
}

function stalledMs(report: ConnectionReport): number {
  return typeof report === 'object' && 'stalledMs' in report ? report.stalledMs : 0;
}

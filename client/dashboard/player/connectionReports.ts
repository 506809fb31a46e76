import { hasLasted, recordAnswer, recordFailure, waitAfter } from './attempts.ts';
import { type ConnectionReport, isEnd } from './connection/audioConnection.ts';
import { type Creations, resetCreations } from './creations.ts';
import { dropoutInSleep, type Moment } from './dropout.ts';
import { activeToken, GAP_ALLOWED_MS, type Heard, isLate, type PlayerState } from './playerState.ts';

const STALL_ALLOWED_MS = 5_000;
/** While a connection opens, and where no token could open another. */
const LONG_STALL_ALLOWED_MS = 15_000;

type Told = { id: number; report: ConnectionReport };

export function newConnection({ id, url }: { id: number; url: string }, { monotonicMs }: Moment): Heard {
  return {
    id,
    url,
    phase: 'opening',
    phaseSince: monotonicMs,
    soundSince: null,
    dataStoppedAt: null,
    isDry: false,
    behindSeconds: 0,
    hasNewerToken: false,
  };
}

export function applyReport(state: PlayerState, { id, report }: Told, now: Moment): PlayerState {
  const { heard, beside } = state;
  if (heard?.id === id) return applyReportOfHeard(state, heard, report, now);
  if (beside?.open?.id !== id) return state;
  if (report === 'sounding')
    return startPlaying(
      { ...state, beside: null, replacedAt: now.monotonicMs },
      newConnection(beside.open, now),
      now,
    );
  if (!isEnd(report) && stalledMs(report) < LONG_STALL_ALLOWED_MS) return state;
  const failures = beside.failures + 1;
  const dueAt = now.monotonicMs + waitAfter(failures, beside.since, now);
  return { ...state, beside: { ...beside, open: null, failures, dueAt } };
}

function applyReportOfHeard(
  state: PlayerState,
  heard: Heard,
  report: ConnectionReport,
  now: Moment,
): PlayerState {
  const changed = (part: Partial<Heard>) => ({ ...state, heard: { ...heard, ...part } });
  const inPhase = (phase: Heard['phase']) => changed({ phase, phaseSince: now.monotonicMs });
  if (typeof report === 'object') {
    if ('behindSeconds' in report) return changed(report);
    if ('missedMs' in report) return { ...state, dropout: dropoutInSleep(report.missedMs, now) };
    return applyStall(state, heard, report, now);
  }
  switch (report) {
    case 'sounding':
      return startPlaying(state, heard, now);
    case 'waiting':
      return heard.phase === 'sounding' ? inPhase('waiting') : state;
    case 'dataStopped':
      return applyMissingData(state, heard, now);
    case 'dataResumed':
      return {
        ...changed({ dataStoppedAt: null, isDry: false }),
        beside: isLate(heard) || heard.hasNewerToken ? state.beside : null,
      };
    case 'silent':
    case 'audible':
      return { ...state, isProgrammeSilent: report === 'silent' };
    case 'paused':
      return state.held ? state : { ...inPhase('starving'), beside: null, obstacle: 'pausedOutside' };
    case 'blocked':
      return { ...state, heard: null, beside: null, obstacle: 'blocked' };
    case 'unopened':
      return applyLoss(state, now, { asking: heard });
    case 'lost':
      return applyLoss(state, now, { answer: null });
    case 'noOutput':
      return applyLoss(state, now, { answer: 'noOutput' });
  }
}

function applyStall(
  state: PlayerState,
  heard: Heard,
  report: { stalledMs: number; hasData: boolean },
  now: Moment,
): PlayerState {
  const isReplaceable = heard.soundSince !== null && activeToken(state, now) !== null;
  if (report.stalledMs >= (isReplaceable ? STALL_ALLOWED_MS : LONG_STALL_ALLOWED_MS))
    // If data is buffered, the stream is not the cause of the silence.
    return applyLoss(state, now, { answer: report.hasData ? 'noOutput' : null });
  const isTold = heard.phase === 'sounding' && report.stalledMs >= GAP_ALLOWED_MS;
  return isTold ? { ...state, heard: { ...heard, phase: 'starving', phaseSince: now.monotonicMs } } : state;
}

/** Reported again and again: WebKit is short of data for a moment now and then, while the stream is well. */
function applyMissingData(state: PlayerState, heard: Heard, now: Moment): PlayerState {
  const { dataStoppedAt } = heard;
  if (dataStoppedAt === null)
    return {
      ...state,
      heard: { ...heard, dataStoppedAt: now.monotonicMs },
      creations: resetIfSoundLasted(state, now),
    };
  const isDry = now.monotonicMs - dataStoppedAt >= GAP_ALLOWED_MS;
  return isDry === heard.isDry ? state : { ...state, heard: { ...heard, isDry } };
}

/** The connection ended, failed or fell silent. One that opens beside it takes its place at once. */
function applyLoss(
  state: PlayerState,
  now: Moment,
  known: { asking: Heard } | { answer: 'noOutput' | null },
): PlayerState {
  if (state.held || state.obstacle !== null) return { ...state, heard: null };
  const next = state.beside?.open ?? null;
  const failed = recordFailure(state.attempts, state.heard?.soundSince ?? null, now);
  const attempts =
    'asking' in known ? { ...failed, asking: known.asking } : recordAnswer(failed, known.answer);
  const heard = next && newConnection(next, now);
  return { ...state, heard, beside: null, attempts, creations: resetIfSoundLasted(state, now) };
}

/** A loss after lasting sound is a new one, with creations of its own. */
function resetIfSoundLasted({ heard, creations }: PlayerState, { monotonicMs }: Moment): Creations {
  return hasLasted(heard?.soundSince ?? null, monotonicMs) ? resetCreations(creations) : creations;
}

function startPlaying(state: PlayerState, heard: Heard, { monotonicMs }: Moment): PlayerState {
  return {
    ...state,
    hasSounded: true,
    obstacle: null,
    heard: {
      ...heard,
      phase: 'sounding',
      phaseSince: monotonicMs,
      soundSince: heard.soundSince ?? monotonicMs,
    },
    attempts: { ...recordAnswer(state.attempts, null), dueAt: null },
  };
}

function stalledMs(report: ConnectionReport): number {
  return typeof report === 'object' && 'stalledMs' in report ? report.stalledMs : 0;
}

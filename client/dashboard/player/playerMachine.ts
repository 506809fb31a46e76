import { streamUrl } from '../../../shared/streamUrl.ts';
import type { StoredToken } from '../../session/localRecords.ts';
import { afterFailure, hasLasted, type LossCause, NO_ATTEMPTS, replacementWaitMs } from './attempts.ts';
import type { Refusal } from './connection/askStream.ts';
import { type ConnectionReport, isEnd } from './connection/audioConnection.ts';
import { dropoutAfter, type Moment } from './dropout.ts';
import {
  activeToken,
  type Beside,
  type Heard,
  isAtRest,
  isLate,
  type PlayerState,
  soundPhase,
} from './playerState.ts';

/** Without progress, where another connection can be opened. */
const STALL_ALLOWED_MS = 5_000;
/** While a connection opens, and where no token could open another. */
const LONG_STALL_ALLOWED_MS = 15_000;

export type Happening =
  | { type: 'playPressed' | 'pausePressed' }
  | { type: 'tokenLearned'; token: StoredToken | null }
  | { type: 'streamBaseLearned'; streamBase: string }
  | { type: 'creationBegan' | 'creationSucceeded' | 'creationFailed' }
  | { type: 'otherTabPlayed' | 'otherTabStopped' }
  /** The network or the page is back. */
  | { type: 'cameBack' }
  | { type: 'connectionReported'; id: number; report: ConnectionReport }
  /** Why connection `id` did not open. */
  | { type: 'refusalLearned'; id: number; refusal: Refusal }
  | { type: 'timePassed' };

export type PlayerEvent = Happening & { at: Moment };

export type PlayerEffect =
  | { type: 'open' | 'openBeside' | 'askWhy'; id: number; url: string }
  /** Lets the connection that was opened beside be heard. */
  | { type: 'swap'; id: number }
  | { type: 'close'; id: number }
  /** Stops the sound but keeps the connection, until `release`. */
  | { type: 'hold' | 'release'; id: number }
  | { type: 'tellOtherTabs'; plays: boolean }
  | { type: 'trackPlay' };

type Transition = { state: PlayerState; effects: PlayerEffect[] };

/** Decides everything about the player (docs/decisions/0031-player.md): its state after an event, and what is to be done. */
export function playerMachine(before: PlayerState, event: PlayerEvent): Transition {
  const pursued = pursue(react(before, event, event.at), event.at);
  const dropout = dropoutAfter(pursued.dropout, soundPhase(before), soundPhase(pursued), event.at);
  const state = dropout === pursued.dropout ? pursued : { ...pursued, dropout };
  return { state, effects: effectsBetween(before, state) };
}

function react(state: PlayerState, event: Happening, now: Moment): PlayerState {
  switch (event.type) {
    case 'playPressed':
      if (state.wanted || activeToken(state, now) === null) return state;
      return { ...state, wanted: true, stoppedBy: 'partner', hasSounded: false, attempts: NO_ATTEMPTS };
    case 'pausePressed':
      return stopped(state, state.stoppedBy === 'otherTab' ? 'otherTab' : 'partner');
    case 'tokenLearned':
      return withToken(state, event.token);
    case 'streamBaseLearned':
      return { ...state, streamBase: event.streamBase };
    case 'creationBegan':
      return state.wanted ? { ...state, held: true, beside: null } : state;
    case 'creationSucceeded':
      return stopped(state, 'partner');
    case 'creationFailed':
      return { ...state, held: false, attempts: state.heard ? state.attempts : NO_ATTEMPTS };
    case 'otherTabPlayed':
      return state.wanted ? stopped(state, 'otherTab') : state;
    case 'otherTabStopped':
      return state.stoppedBy === 'otherTab' ? { ...state, stoppedBy: 'partner' } : state;
    case 'cameBack':
      return tryingNow(state, now);
    case 'connectionReported':
      return afterReport(state, event, now);
    case 'refusalLearned':
      return event.id === state.attempts.asking?.id ? afterLoss(state, event.refusal, now) : state;
    case 'timePassed':
      return state;
  }
}

/** Takes the next step towards the sound that is wanted, if one is due. */
function pursue(state: PlayerState, now: Moment): PlayerState {
  const { heard, attempts, streamBase } = state;
  if (isAtRest(state)) return state;
  if (heard) return withReplacement(state, heard, now);
  if (attempts.asking !== null || now.monotonicMs < (attempts.dueAt ?? 0)) return state;
  const token = activeToken(state, now);
  if (token === null) return stopped(state, 'loss');
  if (streamBase === null)
    return attempts.dueAt === null ? state : { ...state, attempts: { ...attempts, dueAt: null } };
  const id = state.lastId + 1;
  const url = streamUrl(streamBase, token);
  return { ...state, lastId: id, heard: opening({ id, url }), attempts: { ...attempts, dueAt: null } };
}

function withReplacement(state: PlayerState, heard: Heard, now: Moment): PlayerState {
  const token = activeToken(state, now);
  const isNeeded = heard.supplyEnded || isLate(heard);
  if (!isNeeded || token === null || state.streamBase === null)
    return state.beside?.open === null ? { ...state, beside: null } : state;
  const beside = state.beside ?? firstReplacement(state, now);
  if (beside.open === null && now.monotonicMs >= beside.dueAt) {
    const open = { id: state.lastId + 1, url: streamUrl(state.streamBase, token) };
    return { ...state, lastId: open.id, beside: { ...beside, open } };
  }
  return beside === state.beside ? state : { ...state, beside };
}

function firstReplacement({ replacedAt }: PlayerState, { monotonicMs }: Moment): Beside {
  const isSoon = replacedAt !== null && !hasLasted(replacedAt, monotonicMs);
  const failures = isSoon ? 1 : 0;
  return { open: null, failures, dueAt: monotonicMs + replacementWaitMs(failures) };
}

function afterReport(
  state: PlayerState,
  { id, report }: { id: number; report: ConnectionReport },
  now: Moment,
): PlayerState {
  const { heard, beside } = state;
  if (heard?.id === id) return afterReportOfHeard(state, heard, report, now);
  if (beside?.open?.id !== id) return state;
  if (report === 'sounding')
    return sounding({ ...state, beside: null, replacedAt: now.monotonicMs }, opening(beside.open), now);
  if (!isEnd(report) && !isStalled(report, LONG_STALL_ALLOWED_MS)) return state;
  const failures = beside.failures + 1;
  const dueAt = now.monotonicMs + replacementWaitMs(failures);
  return { ...state, beside: { open: null, failures, dueAt } };
}

function afterReportOfHeard(
  state: PlayerState,
  heard: Heard,
  report: ConnectionReport,
  now: Moment,
): PlayerState {
  const changed = (part: Partial<Heard>) => ({ ...state, heard: { ...heard, ...part } });
  if (typeof report === 'object') {
    if ('behindSeconds' in report) return changed(report);
    const isReplaceable = heard.soundSince !== null && activeToken(state, now) !== null;
    if (!isStalled(report, isReplaceable ? STALL_ALLOWED_MS : LONG_STALL_ALLOWED_MS)) return state;
    // If data is buffered, the stream is not the cause of the silence.
    return afterLoss(state, report.hasData ? 'noOutput' : 'none', now);
  }
  switch (report) {
    case 'sounding':
      return sounding(state, heard, now);
    case 'waiting':
      return heard.phase === 'sounding' ? changed({ phase: 'waiting' }) : state;
    case 'supplyEnded':
      return heard.supplyEnded ? state : changed({ supplyEnded: true });
    case 'supplyResumed':
      return { ...changed({ supplyEnded: false }), beside: isLate(heard) ? state.beside : null };
    case 'silent':
    case 'audible':
      return state.silent === (report === 'silent') ? state : { ...state, silent: !state.silent };
    case 'blocked':
      return stopped(state, 'browser');
    case 'pausedElsewhere':
      return state.held ? { ...state, heard: null } : stopped(state, 'partner');
    case 'unopened':
      return { ...state, heard: null, attempts: { ...state.attempts, asking: heard } };
    case 'lost':
      return afterLoss(state, 'none', now);
    case 'noOutput':
      return afterLoss(state, 'noOutput', now);
  }
}

/** The connection ended, failed or fell silent. One that opens beside it takes its place at once. */
function afterLoss(state: PlayerState, cause: LossCause, now: Moment): PlayerState {
  if (state.held) return { ...state, heard: null };
  const next = state.beside?.open ?? null;
  if (next === null && activeToken(state, now) === null) return stopped(state, 'loss');
  const soundSince = state.heard?.soundSince ?? null;
  const attempts = afterFailure(state.attempts, { cause, soundSince, nowMs: now.monotonicMs });
  if (attempts.isRefused) return stopped(state, 'refusal');
  return { ...state, heard: next && opening(next), beside: null, attempts };
}

function sounding(state: PlayerState, heard: Heard, { monotonicMs }: Moment): PlayerState {
  return {
    ...state,
    hasSounded: true,
    heard: { ...heard, phase: 'sounding', soundSince: heard.soundSince ?? monotonicMs },
    attempts: { ...state.attempts, likelyRefusals: 0, lastCause: 'none' },
  };
}

function stopped(state: PlayerState, stoppedBy: PlayerState['stoppedBy']): PlayerState {
  return {
    ...state,
    wanted: false,
    stoppedBy,
    held: false,
    heard: null,
    beside: null,
    attempts: NO_ATTEMPTS,
    silent: false,
  };
}

function tryingNow(state: PlayerState, now: Moment): PlayerState {
  const { heard, beside, attempts } = state;
  if (beside) return { ...state, beside: { ...beside, dueAt: now.monotonicMs } };
  const canReplace = heard?.phase === 'waiting' && activeToken(state, now) !== null;
  return { ...state, heard: canReplace ? null : heard, attempts: { ...attempts, dueAt: null } };
}

/** Another token makes what was said about the last one pointless. */
function withToken(state: PlayerState, token: StoredToken | null): PlayerState {
  const isOver = state.stoppedBy === 'refusal' || state.stoppedBy === 'loss';
  const isAnother = token?.token !== state.token?.token;
  return { ...state, token, stoppedBy: isAnother && isOver ? 'partner' : state.stoppedBy };
}

function opening({ id, url }: { id: number; url: string }): Heard {
  return { id, url, phase: 'opening', soundSince: null, supplyEnded: false, behindSeconds: 0 };
}

function isStalled(report: ConnectionReport, allowedMs: number): boolean {
  return typeof report === 'object' && 'stalledMs' in report && report.stalledMs >= allowedMs;
}

/** What leads from one state to the next: connections are opened, swapped and closed as the states name them. */
function effectsBetween(before: PlayerState, after: PlayerState): PlayerEffect[] {
  const { heard, beside, attempts } = after;
  const effects: PlayerEffect[] = [];
  const isHeardAnew = heard !== null && heard.id !== before.heard?.id;
  const isSwapped = isHeardAnew && heard.id === before.beside?.open?.id;
  if (isSwapped) effects.push({ type: 'swap', id: heard.id });
  for (const gone of [before.heard, before.beside?.open]) {
    const isKept = gone?.id === heard?.id || gone?.id === beside?.open?.id;
    if (gone && !isKept) effects.push({ type: 'close', id: gone.id });
  }
  if (isHeardAnew && !isSwapped) effects.push({ type: 'open', id: heard.id, url: heard.url });
  if (beside?.open && beside.open.id !== before.beside?.open?.id)
    effects.push({ type: 'openBeside', ...beside.open });
  if (heard && !isHeardAnew && after.held !== before.held)
    effects.push({ type: after.held ? 'hold' : 'release', id: heard.id });
  if (attempts.asking && attempts.asking !== before.attempts.asking)
    effects.push({ type: 'askWhy', id: attempts.asking.id, url: attempts.asking.url });
  if (after.wanted !== before.wanted && after.stoppedBy !== 'otherTab')
    effects.push({ type: 'tellOtherTabs', plays: after.wanted });
  if (after.hasSounded && !before.hasSounded) effects.push({ type: 'trackPlay' });
  return effects;
}

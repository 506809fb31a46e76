import { MINUTE_MS } from '../../../shared/durations.ts';
import { type Attempts, counted, hasLasted, type Moment, NO_ATTEMPT, scheduled } from './nextAttempt.ts';
import {
  GAP_ALLOWED_MS,
  type Heard,
  joinsLiveEdge,
  lacksSound,
  type Opening,
  type PlayerInput,
  type PlayerState,
  streamAddress,
  withoutOpening,
} from './playerState.ts';
import { type Answers, NO_ANSWERS, withAnswer } from './streamAnswer.ts';

export type ConnectionEvent =
  | {
      type:
        | 'playing'
        | 'waiting'
        /** No more data arrives, though buffered sound may still play. Repeated while it lasts. */
        | 'dataStopped'
        | 'dataResumed'
        | 'silent'
        | 'audible'
        /** Something else, such as an extension, keeps another speed than 1. */
        | 'speedForced'
        | 'speedFreed'
        /** It was opened without CORS on a page that otherwise measures the level. */
        | 'unmeasured'
        /** This computer has no sound device, but the connection can be kept. Repeated while it lasts. */
        | 'outputMissing'
        /** A headset, the system or another program paused it; `playing` follows if that resumes it. */
        | 'pausedOutside'
        /** The machine slept or its clock was set; after either, the page joins the live edge again. */
        | 'mayHaveSlept';
    }
  /** How far the sound has fallen behind the live edge since it began. */
  | { type: 'behind'; seconds: number }
  /** How long the sound has stood still; `hasData`: although data is buffered. Repeated while it lasts. */
  | { type: 'stalled'; forMs: number; hasData: boolean }
  | { type: ConnectionEnd };

/**
 * `blocked`: by the browser's autoplay rule; `unopened`: before any sound; `lost`: after some sound; `noOutput`: this
 * computer cannot play the sound.
 */
export type ConnectionEnd = 'blocked' | 'unopened' | 'lost' | 'noOutput';

const STALL_ALLOWED_MS = 5_000;
/** A measured connection is opened beside a plain one so long after it opened, or after the last attempt. */
const MEASURED_AGAIN_MS = 5 * MINUTE_MS;
/** The limit before a connection's first sound, and while no valid token could open another connection. */
const LONG_STALL_ALLOWED_MS = 15_000;

/** `hangs`: it opened without sound, data or an error. */
type Failure = Exclude<ConnectionEnd, 'blocked'> | 'hangs';

export function afterConnectionEvent(
  state: PlayerState,
  { id, event }: { id: number; event: ConnectionEvent },
  now: PlayerInput,
): PlayerState {
  const { heard, opening } = state;
  if (heard?.id === id) return afterEventOfHeard(state, heard, event, now);
  return opening?.id === id ? afterEventOfOpening(state, opening, event, now) : state;
}

function afterEventOfOpening(
  state: PlayerState,
  opening: Opening,
  event: ConnectionEvent,
  now: PlayerInput,
): PlayerState {
  switch (event.type) {
    case 'playing':
      return afterSoundBegan(state, opening, now);
    case 'unmeasured':
      return { ...state, opening: measuredLater(opening, now) };
    case 'speedForced':
    case 'speedFreed':
      return { ...state, opening: { ...opening, isSpeedForced: event.type === 'speedForced' } };
    case 'stalled':
      if (event.forMs < LONG_STALL_ALLOWED_MS) return state;
      // The stream is not the cause of the silence if data is buffered.
      return afterFailedOpening(state, event.hasData ? 'noOutput' : 'hangs', now);
    case 'blocked':
    case 'pausedOutside':
      return state.heard === null
        ? { ...withoutOpening(state), obstacle: event.type }
        : afterFailedOpening(state, 'lost', now);
    case 'unopened':
    case 'lost':
    case 'noOutput':
      return afterFailedOpening(state, event.type, now);
    default:
      return state;
  }
}

function afterSoundBegan(state: PlayerState, opening: Opening, now: PlayerInput): PlayerState {
  const { heard } = state;
  const next: Heard = {
    ...opening,
    phase: 'playing',
    phaseSince: now.monotonicMs,
    playingSince: now.monotonicMs,
    hasReplaced: heard !== null,
    attempts: heard ? attemptsUpTo(heard, now) : state.attempts,
    dataStoppedAt: null,
    isBufferOnly: false,
    behindSeconds: 0,
    hasNewerToken: false,
    mayHaveSlept: false,
  };
  return { ...afterSound(withoutOpening(state), next), heard: next };
}

function afterSound(state: PlayerState, { isPlain }: Opening): PlayerState {
  return {
    ...state,
    hasPlayed: true,
    obstacle: null,
    answers: NO_ANSWERS,
    refusedTokens: 0,
    plain: isPlain ? 'next' : 'untried',
    isProgrammeSilent: state.isProgrammeSilent && !isPlain,
  };
}

function afterFailedOpening(state: PlayerState, cause: Failure, now: PlayerInput): PlayerState {
  const { heard, opening } = state;
  if (heard && !lacksSound(heard)) return { ...withoutOpening(state), heard: measuredAgain(heard, now) };
  const failed = { ...state, opening: null, attempts: scheduled(counted(state.attempts, now), now) };
  if (heard === null) return { ...failed, answers: answersAfter(cause, state.answers, opening) };
  return cause === 'unopened' && state.plain === 'untried' ? { ...failed, plain: 'next' } : failed;
}

function afterEventOfHeard(
  state: PlayerState,
  heard: Heard,
  event: ConnectionEvent,
  now: PlayerInput,
): PlayerState {
  const changed = (part: Partial<Heard>) => ({ ...state, heard: { ...heard, ...part } });
  const inPhase = (phase: Heard['phase']) => changed({ phase, phaseSince: now.monotonicMs });
  switch (event.type) {
    case 'behind':
      return changed({ behindSeconds: event.seconds });
    case 'stalled': {
      const allowedMs = streamAddress(now) === null ? LONG_STALL_ALLOWED_MS : STALL_ALLOWED_MS;
      if (event.forMs >= allowedMs)
        return event.hasData ? afterMissingOutput(state, heard, now) : afterLoss(state, heard, 'lost', now);
      const isLongGap = heard.phase === 'playing' && event.forMs >= GAP_ALLOWED_MS;
      return isLongGap ? inPhase('starving') : state;
    }
    case 'playing':
      return { ...afterSound(state, heard), heard: inPhase('playing').heard };
    case 'waiting':
      return heard.phase === 'playing' ? inPhase('waiting') : state;
    case 'dataStopped':
      // The first event opens another connection. The sound counts as dry only half a second later, since WebKit often
      // lacks data for a moment.
      return heard.dataStoppedAt === null
        ? changed({ dataStoppedAt: now.monotonicMs, attempts: attemptsUpTo(heard, now) })
        : changed({ isBufferOnly: now.monotonicMs - heard.dataStoppedAt >= GAP_ALLOWED_MS });
    case 'dataResumed': {
      const resumed = changed({ dataStoppedAt: null, isBufferOnly: false });
      return joinsLiveEdge(heard) ? resumed : withoutOpening(resumed);
    }
    case 'unmeasured':
      return { ...state, heard: measuredLater(heard, now) };
    case 'outputMissing':
      return afterMissingOutput(state, heard, now);
    case 'mayHaveSlept':
      return changed({ mayHaveSlept: true });
    case 'speedForced':
    case 'speedFreed':
      return changed({ isSpeedForced: event.type === 'speedForced' });
    case 'silent':
    case 'audible':
      return { ...state, isProgrammeSilent: event.type === 'silent' };
    case 'pausedOutside':
      return state.mutedWhileCreating
        ? state
        : { ...withoutOpening(inPhase('starving')), obstacle: 'pausedOutside' };
    case 'blocked':
      return { ...withoutOpening(state), heard: null, obstacle: 'blocked' };
    case 'unopened':
    case 'lost':
    case 'noOutput':
      return afterLoss(state, heard, event.type, now);
  }
}

/** A connection that opens beside the lost sound goes on. Else the first attempt follows at once. */
function afterLoss(state: PlayerState, heard: Heard, cause: Failure, now: PlayerInput): PlayerState {
  const lost = { ...state, heard: null };
  if (state.mutedWhileCreating || state.obstacle !== null) return lost;
  const answers = answersAfter(cause, state.answers, heard);
  const attempts = counted(attemptsUpTo(heard, now), now);
  if (state.opening) return { ...lost, answers, attempts };
  const next = attempts.count === 1 ? { ...attempts, notBefore: 0 } : attempts;
  return { ...lost, answers, attempts: scheduled(next, now) };
}

/** A valid token opens another connection once there is a sound device. Without one, nothing replaces this connection. */
function afterMissingOutput(state: PlayerState, heard: Heard, now: PlayerInput): PlayerState {
  if (streamAddress(now) !== null) return afterLoss(state, heard, 'noOutput', now);
  const { answers } = state;
  return {
    ...state,
    answers: answers.last === 'noOutput' ? answers : withAnswer(answers, 'noOutput'),
    heard: heard.phase === 'starving' ? heard : { ...heard, phase: 'starving', phaseSince: now.monotonicMs },
  };
}

/** The attempts that count on if the sound ends now. */
function attemptsUpTo({ playingSince, attempts }: Heard, now: Moment): Attempts {
  return hasLasted(playingSince, now) ? NO_ATTEMPT : attempts;
}

function measuredLater<Connection extends Opening>(
  connection: Connection,
  { monotonicMs }: Moment,
): Connection {
  return { ...connection, measureAt: monotonicMs + MEASURED_AGAIN_MS };
}

/** After a failed attempt to measure it, or where none is possible now. */
export function measuredAgain(heard: Heard, now: Moment): Heard {
  return heard.measureAt === null ? heard : measuredLater(heard, now);
}

function answersAfter(cause: Failure, answers: Answers, asking: Opening | null): Answers {
  switch (cause) {
    case 'unopened':
      return { ...answers, asking };
    case 'lost':
      return NO_ANSWERS;
    case 'noOutput':
    case 'hangs':
      return withAnswer(answers, cause);
  }
}

import { MINUTE_MS } from '../../../shared/durations.ts';
import { counted, hasLasted, type Moment, NO_ATTEMPT, scheduled } from './nextAttempt.ts';
import {
  type ConnectionState,
  GAP_ALLOWED_MS,
  joinsLiveEdge,
  lacksSound,
  type PlayerInput,
  type PlayerState,
  streamAddress,
  withoutReplacement,
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
export type ConnectionEnd = (typeof ENDS)[number];

const ENDS = ['blocked', 'unopened', 'lost', 'noOutput'] as const;

const STALL_ALLOWED_MS = 5_000;
/** A measured connection is opened beside a plain one so long after it opened, or after the last attempt. */
const MEASURED_AGAIN_MS = 5 * MINUTE_MS;
/** The limit before a connection's first sound, and while no valid token could open another connection. */
const LONG_STALL_ALLOWED_MS = 15_000;

/** `hangs`: it opened without sound, data or an error. */
type LossCause = Exclude<ConnectionEnd, 'blocked'> | 'hangs';

export function afterConnectionEvent(
  state: PlayerState,
  { id, event }: { id: number; event: ConnectionEvent },
  now: PlayerInput,
): PlayerState {
  const { connection, replacement } = state;
  if (connection?.id === id) return afterEventOfCurrent(state, connection, event, now);
  return replacement?.id === id ? afterEventOfReplacement(state, replacement, event, now) : state;
}

function afterEventOfCurrent(
  state: PlayerState,
  connection: ConnectionState,
  event: ConnectionEvent,
  now: PlayerInput,
): PlayerState {
  const changed = (part: Partial<ConnectionState>) => ({
    ...state,
    connection: { ...connection, ...part },
  });
  const inPhase = (phase: ConnectionState['phase']) => changed({ phase, phaseSince: now.monotonicMs });
  switch (event.type) {
    case 'behind':
      return changed({ behindSeconds: event.seconds });
    case 'stalled': {
      const isReplaceable = connection.playingSince !== null && streamAddress(now) !== null;
      if (event.forMs >= (isReplaceable ? STALL_ALLOWED_MS : LONG_STALL_ALLOWED_MS))
        // The stream is not the cause of the silence if data is buffered.
        return event.hasData
          ? afterMissingOutput(state, connection, now)
          : afterLoss(state, connection.playingSince === null ? 'hangs' : 'lost', now);
      const isLongGap = connection.phase === 'playing' && event.forMs >= GAP_ALLOWED_MS;
      return isLongGap ? inPhase('starving') : state;
    }
    case 'playing':
      return afterSoundBegan(state, connection, now);
    case 'waiting':
      return connection.phase === 'playing' ? inPhase('waiting') : state;
    case 'dataStopped':
      // The first event starts a replacement. The sound counts as dry only half a second later, since WebKit often
      // lacks data for a moment.
      return connection.dataStoppedAt === null
        ? resetAttemptsIfSoundLasted(changed({ dataStoppedAt: now.monotonicMs }), now)
        : changed({ isBufferOnly: now.monotonicMs - connection.dataStoppedAt >= GAP_ALLOWED_MS });
    case 'dataResumed': {
      const resumed = changed({ dataStoppedAt: null, isBufferOnly: false });
      return joinsLiveEdge(connection) ? resumed : withoutReplacement(resumed);
    }
    case 'unmeasured':
      return { ...state, connection: measuredLater(connection, now, true) };
    case 'outputMissing':
      return afterMissingOutput(state, connection, now);
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
        : { ...withoutReplacement(inPhase('starving')), obstacle: 'pausedOutside' };
    case 'blocked':
      return { ...withoutReplacement(state), connection: null, obstacle: 'blocked' };
    case 'unopened':
    case 'lost':
    case 'noOutput':
      return afterLoss(state, event.type, now);
  }
}

function afterSoundBegan(
  state: PlayerState,
  connection: ConnectionState,
  { monotonicMs }: PlayerInput,
): PlayerState {
  return {
    ...state,
    hasPlayed: true,
    obstacle: null,
    answers: NO_ANSWERS,
    refusedTokens: 0,
    plain: connection.isPlain ? 'next' : 'untried',
    isProgrammeSilent: state.isProgrammeSilent && !connection.isPlain,
    connection: {
      ...connection,
      phase: 'playing',
      phaseSince: monotonicMs,
      playingSince: connection.playingSince ?? monotonicMs,
    },
  };
}

function afterLoss(state: PlayerState, cause: LossCause, now: PlayerInput): PlayerState {
  const { connection, replacement } = state;
  if (state.mutedWhileCreating || state.obstacle !== null) return { ...state, connection: null };
  const reset = resetAttemptsIfSoundLasted(withoutReplacement(state), now);
  const failed = { ...reset, reconnect: counted(reset.reconnect, now) };
  const answers = answersAfterLoss(state, cause);
  if (replacement) return { ...failed, answers, connection: replacement };
  const lost = { ...failed, answers, connection: null };
  // The first attempt follows at once after sound, and waits if none began.
  const { reconnect } = failed;
  const wasHeard = reconnect.count === 1 && connection !== null && connection.playingSince !== null;
  return { ...lost, reconnect: scheduled(wasHeard ? { ...reconnect, notBefore: 0 } : reconnect, now) };
}

/** @param isPlain - whether a measured connection is to be opened beside this one at all */
export function measuredLater(
  connection: ConnectionState,
  { monotonicMs }: Moment,
  isPlain = connection.measureAt !== null,
): ConnectionState {
  return isPlain ? { ...connection, measureAt: monotonicMs + MEASURED_AGAIN_MS } : connection;
}

/** A valid token opens another connection once there is a sound device. Without one, nothing replaces this connection. */
function afterMissingOutput(state: PlayerState, connection: ConnectionState, now: PlayerInput): PlayerState {
  if (streamAddress(now) !== null || connection.playingSince === null)
    return afterLoss(state, 'noOutput', now);
  const { answers } = state;
  return {
    ...state,
    answers: answers.last === 'noOutput' ? answers : withAnswer(answers, 'noOutput'),
    connection:
      connection.phase === 'starving'
        ? connection
        : { ...connection, phase: 'starving', phaseSince: now.monotonicMs },
  };
}

function resetAttemptsIfSoundLasted(state: PlayerState, now: PlayerInput): PlayerState {
  return hasLasted(state.connection?.playingSince ?? null, now) ? { ...state, reconnect: NO_ATTEMPT } : state;
}

function answersAfterLoss({ answers, connection }: PlayerState, cause: LossCause): Answers {
  switch (cause) {
    case 'unopened':
      return { ...answers, asking: connection };
    case 'lost':
      return NO_ANSWERS;
    case 'noOutput':
    case 'hangs':
      return withAnswer(answers, cause);
  }
}

function afterEventOfReplacement(
  state: PlayerState,
  replacement: ConnectionState,
  event: ConnectionEvent,
  now: PlayerInput,
): PlayerState {
  if (event.type === 'playing')
    return afterSoundBegan({ ...withoutReplacement(state), replacedAt: now.monotonicMs }, replacement, now);
  if (event.type === 'unmeasured') return { ...state, replacement: measuredLater(replacement, now, true) };
  const hasStalled = event.type === 'stalled' && event.forMs >= LONG_STALL_ALLOWED_MS;
  if (!hasStalled && !ENDS.some((end) => end === event.type)) return state;
  const { connection } = state;
  if (connection && !lacksSound(connection))
    return { ...withoutReplacement(state), connection: measuredLater(connection, now) };
  const plain = event.type === 'unopened' && state.plain === 'untried' ? 'next' : state.plain;
  return { ...state, plain, replace: scheduled(counted(state.replace, now), now), replacement: null };
}

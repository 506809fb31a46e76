import { SECOND_MS } from '../../../shared/durations.ts';
import type { ConnectionEnd, ConnectionEvent } from '../machine/connectionEvents.ts';
import { GAP_ALLOWED_MS } from '../machine/playerState.ts';
import { NO_DATA_YET, recordCheck, recordData } from './dataArrival.ts';
import { missedInSleep, startDelay, updateDelay } from './liveDelay.ts';
import { isSilentProgramme, silentFor } from './programmeSilence.ts';
import { startProgress, updateProgress } from './stall.ts';

const OUTPUT_ERRORS = /AUDIO_RENDERER_ERROR|MEDIASINK_ERR|CUBEB_INITIALIZATION_ERR/;
/** Without a sound device Firefox plays a fifth of a second of each connection, then fails to decode it. */
const PLAYED_WITHOUT_OUTPUT_S = 1;

export type Connection = {
  check(): void;
  /** Call it before removing the element from the page, which makes browsers pause it: it is then resumed. */
  beforeDetach(): void;
  resume(): void;
  close(): void;
};

export function openConnection(
  element: HTMLAudioElement,
  url: string,
  emit: (event: ConnectionEvent) => void,
  peak: () => number | null,
): Connection {
  const stopListening = new AbortController();
  let open = true;
  let hasPlayed = false;
  let isDetaching = false;
  let arrival = NO_DATA_YET;
  /** The connection failed, but Firefox still plays what it has buffered. */
  let failed = false;
  let endless = false;
  let progress = startProgress(performance.now());
  let delay = startDelay(positionNow());
  let lastBehindSeconds = 0;
  let silentMs = 0;
  let isSilent: boolean | null = null;

  const listeners: Record<string, () => void> = {
    playing: onPlaying,
    waiting: () => emit('waiting'),
    progress: () => {
      if (hasPlayed) arrival = recordData(arrival);
    },
    error: fail,
    ended: fail,
    pause: () => {
      // If the browser refuses to play, `resume` tries again.
      if (isDetaching) element.play().catch(() => undefined);
      // The end of a stream pauses the element too.
      else if (element.paused && !element.ended) emit('pausedOutside');
      isDetaching = false;
    },
  };
  for (const [event, listener] of Object.entries(listeners)) {
    element.addEventListener(event, listener, { signal: stopListening.signal });
  }
  try {
    element.src = url;
    play();
  } catch (error) {
    close();
    throw error;
  }

  function play(): void {
    element.play().catch((error: unknown) => {
      if (!open || hasName(error, 'AbortError')) return;
      if (hasName(error, 'NotAllowedError')) end('blocked');
      else fail();
    });
  }

  function onPlaying(): void {
    if (!hasPlayed) delay = startDelay(positionNow());
    hasPlayed = true;
    emit('playing');
  }

  function fail(): void {
    if (isOutputError()) end('noOutput');
    else if (!hasPlayed) end('unopened');
    else if (element.ended || element.paused) end('lost');
    else {
      failed = true;
      emit('dataStopped');
    }
  }

  function isOutputError(): boolean {
    if (element.error === null) return false;
    const { code, message, MEDIA_ERR_DECODE } = element.error;
    const stoppedAtOnce = hasPlayed && element.currentTime < PLAYED_WITHOUT_OUTPUT_S;
    return OUTPUT_ERRORS.test(message) || (code === MEDIA_ERR_DECODE && stoppedAtOnce);
  }

  function check(): void {
    const before = progress;
    const at = performance.now();
    progress = element.paused ? { ...before, at } : updateProgress(before, at, element.currentTime);
    if (failed && progress.stalledMs >= GAP_ALLOWED_MS) {
      end('lost');
      return;
    }
    if (hasPlayed) {
      checkSilence(at - before.at);
      checkData(at - before.at);
      checkDelay();
    }
    if (hasPlayed && before.stalledMs > 0 && progress.stalledMs === 0) emit('playing');
    const hasData = element.readyState >= element.HAVE_FUTURE_DATA;
    if (progress.stalledMs > 0 && !element.paused) emit({ stalledMs: progress.stalledMs, hasData });
  }

  function checkSilence(gapMs: number): void {
    const measured = peak();
    const wasSilent = isSilent;
    silentMs = silentFor(silentMs, measured, gapMs);
    if (isSilentProgramme(silentMs)) isSilent = true;
    else if (measured !== null && silentMs === 0) isSilent = false;
    if (isSilent !== wasSilent) emit(isSilent ? 'silent' : 'audible');
  }

  function checkData(gapMs: number): void {
    const hadEnded = arrival.ended;
    endless ||= element.duration === Number.POSITIVE_INFINITY;
    arrival = recordCheck(arrival, {
      gapMs,
      tellsBuffer: element.buffered.length > 0,
      isLoading: element.networkState === element.NETWORK_LOADING,
      hasLittleData: element.readyState <= element.HAVE_FUTURE_DATA,
      knowsEnd: failed || (endless && Number.isFinite(element.duration)),
    });
    if (arrival.ended) emit('dataStopped');
    else if (hadEnded) emit('dataResumed');
  }

  function checkDelay(): void {
    const now = positionNow();
    const missedMs = missedInSleep(delay.last, now);
    delay = updateDelay(delay, now);
    if (missedMs > 0) emit({ missedMs });
    const behindSeconds = Math.max(0, Math.round(delay.behindMs / SECOND_MS));
    if (behindSeconds !== lastBehindSeconds) emit({ behindSeconds });
    lastBehindSeconds = behindSeconds;
  }

  function end(why: ConnectionEnd): void {
    if (!open) return;
    close();
    emit(why);
  }

  function close(): void {
    if (!open) return;
    open = false;
    stopListening.abort();
    try {
      element.pause();
    } finally {
      // Ends the sound also where an extension broke `pause`.
      element.removeAttribute('src');
      element.load();
    }
  }

  function positionNow() {
    return { monotonicMs: performance.now(), epochMs: Date.now(), position: element.currentTime };
  }

  return {
    check,
    beforeDetach() {
      isDetaching = !element.paused;
    },
    resume() {
      isDetaching = false;
      if (element.paused) play();
    },
    close,
  };
}

function hasName(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

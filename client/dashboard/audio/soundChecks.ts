import { SECOND_MS } from '../../../shared/durations.ts';
import type { ConnectionEvent } from '../machine/connectionEvents.ts';
import { NO_DATA_YET, recordCheck, recordData } from './dataArrival.ts';
import {
  addSleep,
  missedInSleep,
  type PlaybackPosition,
  ranAhead,
  startDelay,
  updateDelay,
} from './liveDelay.ts';
import { isSilentProgramme, silentFor } from './programmeSilence.ts';
import { serverAheadMs, wentOnWithServer } from './serverClock.ts';

/** Looks for what an element that has played fires no event for: silence, the end of its data, delay. */
export function createSoundChecks(
  element: HTMLAudioElement,
  emit: (event: ConnectionEvent) => void,
  peak: () => number | null,
) {
  let arrival = NO_DATA_YET;
  let endless = false;
  let delay = startDelay(positionNow());
  let lastBehindSeconds = 0;
  let serverAheadBefore: Promise<number | null> = Promise.resolve(null);
  let silentMs = 0;
  let isSilent: boolean | null = null;

  function checkSilence(gapMs: number): void {
    const measured = peak();
    const wasSilent = isSilent;
    silentMs = silentFor(silentMs, measured, gapMs);
    if (isSilentProgramme(silentMs)) isSilent = true;
    // Silence that is no longer measured may have ended.
    else if (silentMs === 0 && (measured !== null || isSilent)) isSilent = false;
    if (isSilent !== wasSilent) emit({ type: isSilent ? 'silent' : 'audible' });
  }

  function checkData(gapMs: number, playsBufferOnly: boolean): void {
    const hadEnded = arrival.ended;
    endless ||= element.duration === Number.POSITIVE_INFINITY;
    arrival = recordCheck(arrival, {
      gapMs,
      tellsBuffer: element.buffered.length > 0,
      isLoading: element.networkState === element.NETWORK_LOADING,
      hasLittleData: element.readyState <= element.HAVE_FUTURE_DATA,
      knowsEnd: playsBufferOnly || (endless && Number.isFinite(element.duration)),
    });
    if (arrival.ended) emit({ type: 'dataStopped' });
    else if (hadEnded) emit({ type: 'dataResumed' });
  }

  function checkDelay(): void {
    const { last } = delay;
    const now = positionNow();
    const aheadMs = ranAhead(last, now);
    // The browser's clock was set back: from now on the server's is ahead by more.
    if (aheadMs < 0) serverAheadBefore = serverAheadMs();
    const missedMs = missedInSleep(last, now);
    delay = updateDelay(delay, now);
    if (aheadMs > 0) void tellSleep(last, now, aheadMs);
    else if (missedMs > 0) emit({ type: 'slept', missedMs, untilMs: now.monotonicMs });
    const behindSeconds = Math.max(0, Math.round(delay.behindMs / SECOND_MS));
    if (behindSeconds !== lastBehindSeconds) emit({ type: 'behind', seconds: behindSeconds });
    lastBehindSeconds = behindSeconds;
  }

  async function tellSleep(last: PlaybackPosition, now: PlaybackPosition, aheadMs: number): Promise<void> {
    const before = serverAheadBefore;
    serverAheadBefore = serverAheadMs();
    if (!(await wentOnWithServer(await before, aheadMs))) return;
    const missedMs = missedInSleep(last, now, aheadMs);
    delay = addSleep(delay, aheadMs);
    if (missedMs > 0) emit({ type: 'slept', missedMs, untilMs: now.monotonicMs });
  }

  function positionNow() {
    return { monotonicMs: performance.now(), epochMs: Date.now(), position: element.currentTime };
  }

  return {
    soundBegan(): void {
      delay = startDelay(positionNow());
      serverAheadBefore = serverAheadMs();
    },
    dataArrived(): void {
      arrival = recordData(arrival);
    },
    check(gapMs: number, playsBufferOnly: boolean): void {
      checkSilence(gapMs);
      checkData(gapMs, playsBufferOnly);
      checkDelay();
    },
  };
}

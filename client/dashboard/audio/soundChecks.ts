import { SECOND_MS } from '../../../shared/durations.ts';
import type { ConnectionEvent } from '../../page/player/connectionEvents.ts';
import { NO_DATA_YET, recordCheck, recordData } from './dataArrival.ts';
import { mayHaveSlept, startDelay, updateDelay } from './liveDelay.ts';
import { isSilentProgramme, silentFor } from './programmeSilence.ts';

/** Looks for what an element that has played fires no event for: silence, the end of its data, delay. */
export function createSoundChecks(
  element: HTMLAudioElement,
  emit: (event: ConnectionEvent) => void,
  peak: () => number | null,
) {
  let arrival = NO_DATA_YET;
  let endless = false;
  let lastEnd = 0;
  let delay = startDelay(positionNow());
  let lastBehindSeconds = 0;
  let silentMs = 0;
  let isSilent: boolean | null = null;

  function checkSilence(gapMs: number): void {
    const measured = peak();
    const wasSilent = isSilent;
    silentMs = silentFor(silentMs, measured, gapMs);
    if (isSilentProgramme(silentMs)) isSilent = true;
    // Silence counts as ended once nothing is measured.
    else if (silentMs === 0 && (measured !== null || isSilent)) isSilent = false;
    if (isSilent !== wasSilent) emit({ type: isSilent ? 'silent' : 'audible' });
  }

  function checkData(gapMs: number, playsBufferOnly: boolean): void {
    const hadEnded = arrival.ended;
    endless ||= element.duration === Number.POSITIVE_INFINITY;
    // Firefox loads on after its output failed, and tells it by `buffered` alone.
    const isSilentlyLoading = element.error !== null && !playsBufferOnly;
    const isLoading = isSilentlyLoading || element.networkState === element.NETWORK_LOADING;
    const end = bufferedEnd(element);
    if (isSilentlyLoading && end > lastEnd) arrival = recordData(arrival);
    lastEnd = end;
    arrival = recordCheck(arrival, {
      gapMs,
      tellsBuffer: element.buffered.length > 0,
      isLoading,
      hasLittleData: element.readyState <= element.HAVE_FUTURE_DATA,
      // Firefox gives the length of what has arrived of an Ogg stream as its duration, while it goes on loading.
      knowsEnd: playsBufferOnly || (endless && !isLoading && Number.isFinite(element.duration)),
    });
    if (arrival.ended) emit({ type: 'dataStopped' });
    else if (hadEnded) emit({ type: 'dataResumed' });
  }

  function checkDelay(isSpeedForced: boolean): void {
    const now = positionNow();
    if (mayHaveSlept(delay.last, now)) emit({ type: 'mayHaveSlept' });
    // Another connection would fall behind as fast.
    delay = isSpeedForced ? startDelay(now) : updateDelay(delay, now);
    const behindSeconds = Math.max(0, Math.round(delay.behindMs / SECOND_MS));
    if (behindSeconds !== lastBehindSeconds) emit({ type: 'behind', seconds: behindSeconds });
    lastBehindSeconds = behindSeconds;
  }

  function positionNow() {
    return { monotonicMs: performance.now(), epochMs: Date.now(), position: element.currentTime };
  }

  return {
    soundBegan(): void {
      delay = startDelay(positionNow());
    },
    dataArrived(): void {
      arrival = recordData(arrival);
    },
    check(gapMs: number, playsBufferOnly: boolean, isSpeedForced: boolean): void {
      checkSilence(gapMs);
      checkData(gapMs, playsBufferOnly);
      checkDelay(isSpeedForced);
    },
  };
}

function bufferedEnd({ buffered }: HTMLMediaElement): number {
  return buffered.length > 0 ? buffered.end(buffered.length - 1) : 0;
}

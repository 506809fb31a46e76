import type { ConnectionEnd, ConnectionEvent } from '../../page/player/connectionEvents.ts';
import { GAP_ALLOWED_MS } from '../../page/player/playerState.ts';
import { forgetCached } from './askStream.ts';
import { createSoundChecks } from './soundChecks.ts';
import { isFirefox, isOutputError, type SoundDevice } from './soundDevice.ts';
import { createSpeedCheck } from './speedCheck.ts';
import { startProgress, updateProgress } from './stall.ts';

/** How long an extension may delay `play`. After that an element that is still paused was refused. */
const START_ALLOWED_MS = 5_000;
/** Shorter stalls are not reported at a forced speed: sound played faster than it arrives stalls often, but briefly. */
const FORCED_STALL_ALLOWED_MS = 5_000;

export type Connection = {
  open(url: string): void;
  check(): void;
  /** Call it before the element is removed from the page: browsers then pause it, and the connection resumes it. */
  beforeDetach(): void;
  resume(): void;
  close(): void;
};

/** Register it before `open`: an element that an extension changed may emit at once. */
export function createConnection(
  element: HTMLAudioElement,
  device: Pick<SoundDevice, 'isMissing' | 'failed'>,
  emit: (event: ConnectionEvent) => void,
  peak: () => number | null,
): Connection {
  const stopListening = new AbortController();
  const soundChecks = createSoundChecks(element, emit, peak);
  const speed = createSpeedCheck(element, emit);
  const openedAt = performance.now();
  let isOpen = true;
  let hasStarted = false;
  let hasPlayed = false;
  let isDetaching = false;
  /** Firefox goes on playing what it has buffered after a connection failed. */
  let playsBufferOnly = false;
  /** It plays on, and is not heard: this computer has no sound device. */
  let lacksOutput = false;
  let progress = startProgress(openedAt);
  let hasAskedAnew = false;

  const on = (event: string, listener: () => void) =>
    element.addEventListener(event, listener, { signal: stopListening.signal });
  on('loadedmetadata', onMetadata);
  on('playing', onPlaying);
  on('waiting', () => !speed.isForced() && emit({ type: 'waiting' }));
  on('ratechange', speed.check);
  on('progress', () => hasPlayed && soundChecks.dataArrived());
  on('error', fail);
  on('ended', fail);
  on('pause', onPause);

  function open(url: string): void {
    if (device.isMissing()) {
      end('noOutput');
      return;
    }
    try {
      element.src = url;
      play();
    } catch (error) {
      close();
      throw error;
    }
  }

  function onMetadata(): void {
    // Firefox reports the duration of the sound received so far as that of a live stream.
    if (isCachedSound(element) && !isFirefox() && !hasAskedAnew) void openAnew(element.src);
  }

  async function openAnew(url: string): Promise<void> {
    hasAskedAnew = true;
    element.removeAttribute('src');
    element.load();
    const [address = ''] = url.split('#');
    await forgetCached(address, element.crossOrigin);
    if (!isOpen) return;
    try {
      // Chromium keeps streams in memory too, by their whole address. No browser sends the fragment.
      open(`${address}#${performance.now()}`);
    } catch {
      emit({ type: 'unopened' });
    }
  }

  function play(): void {
    start(element).catch((error: unknown) => {
      if (!isOpen || hasName(error, 'AbortError')) return;
      if (hasName(error, 'NotAllowedError')) end('blocked');
      else fail();
    });
    hasStarted ||= !element.paused;
  }

  function onPlaying(): void {
    if (!hasPlayed) soundChecks.soundBegan();
    speed.check();
    hasPlayed = true;
    emit({ type: 'playing' });
  }

  function onPause(): void {
    // `resume` tries again if the browser refuses to play.
    if (isDetaching) start(element).catch(() => undefined);
    // The end of a stream pauses the element too.
    else if (element.paused && !element.ended) emit({ type: 'pausedOutside' });
    isDetaching = false;
  }

  function fail(): void {
    const isOfOutput = isOutputError(element, hasPlayed);
    if (isOfOutput) device.failed();
    if (isOfOutput && hasPlayed && !element.paused && isFirefox()) missOutput();
    else if (isOfOutput) end('noOutput');
    else if (!hasPlayed) end('unopened');
    else if (element.ended || element.paused) end('lost');
    else {
      playsBufferOnly = true;
      emit({ type: 'dataStopped' });
    }
  }

  function check(): void {
    const before = progress;
    const at = performance.now();
    progress = element.paused ? { ...before, at } : updateProgress(before, at, element.currentTime);
    if (playsBufferOnly && progress.stalledMs >= GAP_ALLOWED_MS) end('lost');
    hasStarted ||= !element.paused;
    if (!hasStarted && at - openedAt >= START_ALLOWED_MS) end('blocked');
    if (device.isMissing() && !hasPlayed) end('noOutput');
    if (!isOpen) return;
    if (device.isMissing()) {
      missOutput();
      return;
    }
    if (lacksOutput) regainOutput();
    speed.check();
    if (hasPlayed) soundChecks.check(at - before.at, playsBufferOnly, speed.isForced());
    if (hasPlayed && before.stalledMs > 0 && progress.stalledMs === 0) emit({ type: 'playing' });
    const hasData = element.readyState >= element.HAVE_FUTURE_DATA;
    const stallAllowedMs = speed.isForced() ? FORCED_STALL_ALLOWED_MS : 0;
    if (progress.stalledMs > stallAllowedMs && !element.paused)
      emit({ type: 'stalled', forMs: progress.stalledMs, hasData });
  }

  function missOutput(): void {
    lacksOutput = true;
    emit({ type: 'outputMissing' });
  }

  function regainOutput(): void {
    lacksOutput = false;
    playsBufferOnly = false;
    // Firefox plays on after its output failed, and opens another one when it seeks.
    const { error, currentTime } = element;
    if (error) element.currentTime = currentTime;
    soundChecks.soundBegan();
    if (!element.paused) emit({ type: 'playing' });
  }

  function end(why: ConnectionEnd): void {
    if (!isOpen) return;
    close();
    emit({ type: why });
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    stopListening.abort();
    silence(element);
  }

  function beforeDetach(): void {
    isDetaching = !element.paused;
  }

  function resume(): void {
    isDetaching = false;
    if (element.paused) play();
  }

  return { open, check, beforeDetach, resume, close };
}

/** A `play` that an extension replaced may throw or return nothing. The event `playing` then tells that sound plays. */
async function start(element: HTMLAudioElement): Promise<void> {
  await element.play();
}

/** Ends the download even if an extension broke `pause`. */
function silence(element: HTMLAudioElement): void {
  try {
    element.pause();
  } finally {
    element.removeAttribute('src');
    element.load();
  }
}

function hasName(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

type Source = Pick<HTMLMediaElement, 'duration' | 'seekable'>;

/**
 * Returns whether Chromium plays its cached copy of an earlier connection, in which it can seek. In a live stream it
 * cannot, even if `Content-Length` or an Info frame gives the stream an end.
 */
function isCachedSound({ duration, seekable }: Source): boolean {
  return Number.isFinite(duration) && seekable.length > 0 && seekable.end(seekable.length - 1) > 0;
}

import { delayAfter, delayFrom } from './liveDelay.ts';
import { isStalled, progressChecked, progressFrom } from './stall.ts';
import { dataArrived, NEW_SUPPLY, supplyChecked } from './supply.ts';

const CHECK_EVERY_MS = 400;

/**
 * The reports of an open connection. `waiting`: the sound waits for data. `supplyEnded`, repeated while it lasts: no more data arrives,
 * though buffered sound may still play. `behindSeconds`: by how much the sound has fallen behind the live edge since it began.
 */
export type ConnectionReport =
  | 'sounding'
  | 'waiting'
  | 'supplyEnded'
  | 'supplyResumed'
  | { behindSeconds: number }
  | ConnectionEnd;

/**
 * The reports that end the connection: `blocked` by the browser's autoplay rule, `unopened` before any sound, `lost` after some sound or
 * without an answer, `noOutput` when this computer cannot play the sound, `pausedElsewhere` by a headset or the system.
 */
export type ConnectionEnd = 'blocked' | 'unopened' | 'lost' | 'noOutput' | 'pausedElsewhere';

const ENDS: ConnectionReport[] = ['blocked', 'unopened', 'lost', 'noOutput', 'pausedElsewhere'];

export function isEnd(report: ConnectionReport): report is ConnectionEnd {
  return ENDS.includes(report);
}

const OUTPUT_ERRORS = /AUDIO_RENDERER_ERROR|MEDIASINK_ERR|CUBEB_INITIALIZATION_ERR/;
/** After its sound device went, Firefox plays a fifth of a second of each new connection and then says that it cannot decode it. */
const PLAYED_WITHOUT_OUTPUT_S = 1;

export type Connection = {
  readonly element: HTMLAudioElement;
  hasSounded(): boolean;
  /** Call it before removing the element from the page: resumes it after the pause that browsers then cause. */
  leavePage(): void;
  /** Plays again if the browser did not let it play on outside the page. */
  enterPage(): void;
  close(): void;
};

type ConnectionOptions = {
  report: (what: ConnectionReport) => void;
  /** Called several times a second while there is sound, with the milliseconds since the last check. */
  onCheck: (gapMs: number) => void;
  isReplaceable: () => boolean;
};

export function openConnection(
  element: HTMLAudioElement,
  url: string,
  { report, onCheck, isReplaceable }: ConnectionOptions,
): Connection {
  const stopListening = new AbortController();
  let open = true;
  let sounded = false;
  let leavingPage = false;
  let supply = NEW_SUPPLY;
  /** Firefox plays on what it has buffered after the error that ended its connection. */
  let failed = false;
  let endless = false;
  let progress = progressFrom(performance.now());
  let delay = delayFrom(positionNow());
  let reportedSeconds = 0;

  const listeners: Record<string, () => void> = {
    playing: sounding,
    waiting: () => report('waiting'),
    progress: () => {
      if (sounded) supply = dataArrived(supply);
    },
    error: fail,
    ended: fail,
    pause: () => {
      // If the browser refuses, it waits for enterPage().
      if (leavingPage) element.play().catch(() => undefined);
      // The end of a stream pauses the element too.
      else if (element.paused && !element.ended) end('pausedElsewhere');
      leavingPage = false;
    },
  };
  for (const [event, listener] of Object.entries(listeners)) {
    element.addEventListener(event, listener, { signal: stopListening.signal });
  }
  const checks = setInterval(check, CHECK_EVERY_MS);
  element.src = url;
  play();

  function play(): void {
    element.play().catch((error: unknown) => {
      if (!open || hasName(error, 'AbortError')) return;
      if (hasName(error, 'NotAllowedError')) end('blocked');
      else fail();
    });
  }

  function sounding(): void {
    if (!sounded) delay = delayFrom(positionNow());
    sounded = true;
    report('sounding');
  }

  function fail(): void {
    if (isOutputError()) end('noOutput');
    else if (!sounded) end('unopened');
    else if (element.ended || element.paused) end('lost');
    else {
      failed = true;
      report('supplyEnded');
    }
  }

  function isOutputError(): boolean {
    if (element.error === null) return false;
    const { code, message, MEDIA_ERR_DECODE } = element.error;
    const stoppedAtOnce = sounded && element.currentTime < PLAYED_WITHOUT_OUTPUT_S;
    return OUTPUT_ERRORS.test(message) || (code === MEDIA_ERR_DECODE && stoppedAtOnce);
  }

  function check(): void {
    const before = progress;
    const at = performance.now();
    progress = element.paused ? { ...before, at } : progressChecked(before, at, element.currentTime);
    if (failed && progress.stalledMs > 0) {
      end('lost');
    } else if (isStalled(progress, isReplaceable())) {
      // If data is buffered, the stream is not the cause of the silence.
      end(element.readyState >= element.HAVE_FUTURE_DATA ? 'noOutput' : 'lost');
    } else if (sounded) {
      onCheck(at - before.at);
      checkSupply(at - before.at);
      checkDelay();
    }
  }

  function checkSupply(gapMs: number): void {
    const hadEnded = supply.ended;
    endless ||= element.duration === Number.POSITIVE_INFINITY;
    supply = supplyChecked(supply, {
      gapMs,
      tellsBuffer: element.buffered.length > 0,
      isLoading: element.networkState === element.NETWORK_LOADING,
      hasLittleData: element.readyState <= element.HAVE_FUTURE_DATA,
      knowsEnd: failed || (endless && Number.isFinite(element.duration)),
    });
    if (supply.ended) report('supplyEnded');
    else if (hadEnded) report('supplyResumed');
  }

  function checkDelay(): void {
    delay = delayAfter(delay, positionNow());
    const behindSeconds = Math.max(0, Math.round(delay.behindMs / 1_000));
    if (behindSeconds !== reportedSeconds) report({ behindSeconds });
    reportedSeconds = behindSeconds;
  }

  function end(why: ConnectionEnd): void {
    if (!open) return;
    close();
    report(why);
  }

  function close(): void {
    if (!open) return;
    open = false;
    clearInterval(checks);
    stopListening.abort();
    element.pause();
    element.removeAttribute('src');
    element.load();
  }

  function positionNow() {
    return { monotonicMs: performance.now(), epochMs: Date.now(), position: element.currentTime };
  }

  return {
    element,
    hasSounded: () => sounded,
    leavePage() {
      leavingPage = !element.paused;
    },
    enterPage() {
      leavingPage = false;
      if (element.paused) play();
    },
    close,
  };
}

function hasName(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

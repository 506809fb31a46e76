import { delayAfter, delayFrom } from './liveDelay.ts';
import { isTooSilent, listenAgain, listeningFrom } from './silence.ts';
import { dataArrived, NEW_SUPPLY, supplyChecked } from './supply.ts';

const CHECK_EVERY_MS = 400;

/**
 * The reports of an open connection. `sounding`: sound plays now. `dry`: the sound waits for data. `starved`, repeated while it lasts: no
 * more data arrives, though buffered sound may still play; `fed`: data arrives again. `behindSeconds`: by how much the sound has fallen
 * behind the live edge since it began.
 */
export type ConnectionReport =
  | 'sounding'
  | 'dry'
  | 'starved'
  | 'fed'
  | { behindSeconds: number }
  | ConnectionEnd;

/**
 * The reports that end the connection: `blocked` by the browser's autoplay rule, `unopened` before any sound, `lost` after some sound or
 * without an answer, `noOutput` when this computer cannot play the sound, `pausedElsewhere` by a headset or the system.
 */
export type ConnectionEnd = 'blocked' | 'unopened' | 'lost' | 'noOutput' | 'pausedElsewhere';

const ENDS: ConnectionReport[] = ['blocked', 'unopened', 'lost', 'noOutput', 'pausedElsewhere'];

export function isEnd(what: ConnectionReport): what is ConnectionEnd {
  return ENDS.includes(what);
}

/** Matches the `MediaError.message` of Chromium and Firefox for a missing or failed sound device. */
const OUTPUT_ERRORS = /AUDIO_RENDERER_ERROR|MEDIASINK_ERR|CUBEB_INITIALIZATION_ERR/;

export type Connection = {
  readonly element: HTMLAudioElement;
  hasSounded(): boolean;
  /** Plays on although the element is about to leave the page, at which browsers pause it. */
  leavePage(): void;
  /** Plays again if the browser did not let it play on outside the page. */
  enterPage(): void;
  /** Stops the sound and closes the connection; nothing is reported any more. */
  close(): void;
};

type ConnectionOptions = {
  report: (what: ConnectionReport) => void;
  /** Called several times a second while there is sound, with the milliseconds since the last check. */
  onCheck: (gapMs: number) => void;
  /** Returns whether a token is valid that can open another connection. */
  isReplaceable: () => boolean;
};

/** Plays an address with an element. */
export function openConnection(
  element: HTMLAudioElement,
  url: string,
  { report, onCheck, isReplaceable }: ConnectionOptions,
): Connection {
  const stopListening = new AbortController();
  let open = true;
  let sounded = false;
  let leaving = false;
  let supply = NEW_SUPPLY;
  /** Firefox plays on what it has buffered after the error that ended its connection. */
  let failed = false;
  let endless = false;
  let listening = listeningFrom(performance.now());
  let delay = delayFrom(heardNow());
  let toldSeconds = 0;

  const reactions: Record<string, () => void> = {
    playing: sounding,
    waiting: () => report('dry'),
    progress: () => {
      if (sounded) supply = dataArrived(supply);
    },
    error: fail,
    ended: fail,
    // The end of a stream pauses the element too; close() listens no more.
    pause: () => {
      // Refused, it waits for enterPage().
      if (leaving) element.play().catch(() => undefined);
      else if (element.paused && !element.ended) end('pausedElsewhere');
      leaving = false;
    },
  };
  for (const [name, react] of Object.entries(reactions)) {
    element.addEventListener(name, react, { signal: stopListening.signal });
  }
  const watch = setInterval(check, CHECK_EVERY_MS);
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
    if (!sounded) delay = delayFrom(heardNow());
    sounded = true;
    report('sounding');
  }

  function fail(): void {
    if (OUTPUT_ERRORS.test(element.error?.message ?? '')) end('noOutput');
    else if (!sounded) end('unopened');
    else if (element.ended || element.paused) end('lost');
    else {
      failed = true;
      report('starved');
    }
  }

  function check(): void {
    const before = listening;
    const at = performance.now();
    listening = element.paused ? { ...before, at } : listenAgain(before, at, element.currentTime);
    if (failed && listening.silentMs > 0) {
      end('lost');
    } else if (isTooSilent(listening, isReplaceable())) {
      // If data is buffered, the stream is not the cause of the silence.
      end(element.readyState >= element.HAVE_FUTURE_DATA ? 'noOutput' : 'lost');
    } else if (sounded) {
      onCheck(at - before.at);
      checkSupply(at - before.at);
      checkDelay();
    }
  }

  function checkSupply(gapMs: number): void {
    const wasOver = supply.over;
    endless ||= element.duration === Number.POSITIVE_INFINITY;
    supply = supplyChecked(supply, {
      gapMs,
      buffered: element.buffered.length > 0,
      loading: element.networkState === element.NETWORK_LOADING,
      short: element.readyState <= element.HAVE_FUTURE_DATA,
      ends: failed || (endless && Number.isFinite(element.duration)),
    });
    if (supply.over) report('starved');
    else if (wasOver) report('fed');
  }

  function checkDelay(): void {
    delay = delayAfter(delay, heardNow());
    const behindSeconds = Math.max(0, Math.round(delay.behindMs / 1_000));
    if (behindSeconds !== toldSeconds) report({ behindSeconds });
    toldSeconds = behindSeconds;
  }

  function end(why: ConnectionEnd): void {
    if (!open) return;
    close();
    report(why);
  }

  function close(): void {
    if (!open) return;
    open = false;
    clearInterval(watch);
    stopListening.abort();
    element.pause();
    element.removeAttribute('src');
    element.load();
  }

  function heardNow() {
    return { monotonicMs: performance.now(), epochMs: Date.now(), position: element.currentTime };
  }

  return {
    element,
    hasSounded: () => sounded,
    leavePage() {
      leaving = !element.paused;
    },
    enterPage() {
      leaving = false;
      if (element.paused) play();
    },
    close,
  };
}

function hasName(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

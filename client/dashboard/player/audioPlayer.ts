import { isTooSilent, listenAgain, listeningFrom } from './silence.ts';

const WATCH_EVERY_MS = 1_000;

/**
 * The reports of an open connection. `sounding`: sound plays now. `dry`: the sound waits for data. The others end the connection:
 * `blocked` by the browser's autoplay rule, `unopened` before any sound, `lost` after some sound or for want of an answer, `noOutput`
 * when this computer cannot play the sound, `pausedElsewhere` by a headset or the system.
 */
export type AudioReport = 'sounding' | 'dry' | AudioEnd;
type AudioEnd = 'blocked' | 'unopened' | 'lost' | 'noOutput' | 'pausedElsewhere';

/** Matches the `MediaError.message` of Chromium and Firefox for a missing or failed sound device. */
const OUTPUT_ERRORS = /AUDIO_RENDERER_ERROR|MEDIASINK_ERR|CUBEB_INITIALIZATION_ERR/;

export type AudioPlayer = {
  /** Plays with this element from now on. Returns a cleanup function. */
  attach(element: HTMLAudioElement): () => void;
  /** Opens a new connection, so that a live stream is joined at its live edge. Call it inside the click handler. */
  open(url: string): void;
  /** Pauses the sound but keeps the connection. If the connection ends meanwhile, only `resume` tells. */
  hold(): void;
  /** Continues the sound on a held connection; returns false if the connection is gone. */
  resume(): boolean;
  /** Stops the sound and closes the connection. */
  close(): void;
};

/** Controls the audio element; no other code plays it. The element tells no HTTP status, so askStream.ts asks why a stream does not open. */
export function createAudioPlayer(report: (what: AudioReport) => void): AudioPlayer {
  let audio: HTMLAudioElement | null = null;
  let connection: { watchdog: ReturnType<typeof setInterval>; sounded: boolean; held: boolean } | null = null;

  function attach(element: HTMLAudioElement): () => void {
    const reactions: [string, () => void][] = [
      ['playing', sounding],
      ['waiting', () => connection && !connection.held && report('dry')],
      ['error', fail],
      ['ended', fail],
      // The end of a stream pauses the element too; our own pauses happen without a connection, or while it is held.
      ['pause', () => element.paused && !element.ended && !connection?.held && end('pausedElsewhere')],
    ];
    for (const [name, react] of reactions) element.addEventListener(name, react);
    audio = element;
    return () => {
      close();
      for (const [name, react] of reactions) element.removeEventListener(name, react);
      audio = null;
    };
  }

  function open(url: string): void {
    close();
    if (!audio) return;
    connection = { watchdog: watch(audio), sounded: false, held: false };
    audio.src = url;
    start(audio);
  }

  function hold(): void {
    if (!connection || !audio) return;
    clearInterval(connection.watchdog);
    connection.held = true;
    audio.pause();
  }

  function resume(): boolean {
    if (!connection || !audio) return false;
    if (connection.held) {
      connection.held = false;
      connection.watchdog = watch(audio);
      start(audio);
    }
    return true;
  }

  function start(element: HTMLAudioElement): void {
    const started = connection;
    element.play().catch((error: unknown) => {
      if (connection !== started || hasName(error, 'AbortError')) return;
      if (hasName(error, 'NotAllowedError')) end('blocked');
      else fail();
    });
  }

  function close(): void {
    if (!connection || !audio) return;
    clearInterval(connection.watchdog);
    connection = null;
    audio.pause();
    audio.removeAttribute('src');
    audio.load();
  }

  function sounding(): void {
    if (!connection || connection.held) return;
    connection.sounded = true;
    report('sounding');
  }

  function fail(): void {
    if (OUTPUT_ERRORS.test(audio?.error?.message ?? '')) end('noOutput');
    else end(connection?.sounded ? 'lost' : 'unopened');
  }

  function end(why: AudioEnd): void {
    if (!connection) return;
    const { held } = connection;
    close();
    if (!held) report(why);
  }

  function watch(element: HTMLAudioElement): ReturnType<typeof setInterval> {
    let listening = listeningFrom(performance.now());
    return setInterval(() => {
      listening = listenAgain(listening, performance.now(), element.currentTime);
      // If data is buffered, the stream is not the cause of the silence.
      if (isTooSilent(listening)) end(element.readyState >= element.HAVE_FUTURE_DATA ? 'noOutput' : 'lost');
    }, WATCH_EVERY_MS);
  }

  return { attach, open, hold, resume, close };
}

function hasName(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

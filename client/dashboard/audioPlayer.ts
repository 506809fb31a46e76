import { isTooSilent, listenAgain, listeningFrom } from './silence.ts';

const WATCH_EVERY_MS = 1_000;

/**
 * What an open connection reports. `sounding`: sound plays now. `dry`: it waits for data. The others end the connection:
 * `blocked` by the browser's autoplay rule, `unopened` before any sound, `lost` after some, or without an answer,
 * `pausedElsewhere` by a headset or the system.
 */
export type AudioReport = 'sounding' | 'dry' | AudioEnd;
type AudioEnd = 'blocked' | 'unopened' | 'lost' | 'pausedElsewhere';

export type AudioPlayer = {
  /** Takes the element to play with; answers the way to let go of it. */
  attach(element: HTMLAudioElement): () => void;
  /** Connects anew, so that a live stream is joined at its live edge. To be called inside the click. */
  open(url: string): void;
  /** Stops the sound and lets go of the connection. */
  close(): void;
};

/** The only code that plays the audio element. An element tells no HTTP status: why a stream did not open must be asked. */
export function createAudioPlayer(report: (what: AudioReport) => void): AudioPlayer {
  let audio: HTMLAudioElement | null = null;
  let connection: { watchdog: ReturnType<typeof setInterval>; sounded: boolean } | null = null;

  function attach(element: HTMLAudioElement): () => void {
    const reactions: [string, () => void][] = [
      ['playing', sounding],
      ['waiting', () => connection && report('dry')],
      ['error', fail],
      ['ended', fail],
      // The end of a stream pauses the element too, and our own pauses come without a connection.
      ['pause', () => element.paused && !element.ended && end('pausedElsewhere')],
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
    const opened = { watchdog: setInterval(watchForSilence(audio), WATCH_EVERY_MS), sounded: false };
    connection = opened;
    audio.src = url;
    audio.play().catch((error: unknown) => {
      if (connection !== opened || hasName(error, 'AbortError')) return;
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
    if (!connection) return;
    connection.sounded = true;
    report('sounding');
  }

  function fail(): void {
    end(connection?.sounded ? 'lost' : 'unopened');
  }

  function end(why: AudioEnd): void {
    if (!connection) return;
    close();
    report(why);
  }

  function watchForSilence(element: HTMLAudioElement): () => void {
    let listening = listeningFrom(performance.now());
    return () => {
      listening = listenAgain(listening, performance.now(), element.currentTime);
      if (isTooSilent(listening)) end('lost');
    };
  }

  return { attach, open, close };
}

function hasName(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

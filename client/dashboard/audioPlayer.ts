const WATCH_EVERY_MS = 1_000;
const SILENCE_ALLOWED_MS = 8_000;

/**
 * What an open connection reports. `sounding`: sound plays now. `dry`: it waits for data. The others end the connection:
 * `blocked` by the browser's autoplay rule, `lost` however it was lost, `pausedElsewhere` by a headset or the system.
 */
export type AudioReport = 'sounding' | 'dry' | 'blocked' | 'lost' | 'pausedElsewhere';

export type AudioPlayer = {
  /** Takes the element to play with; answers the way to let go of it. */
  attach(element: HTMLAudioElement): () => void;
  /** Connects anew, so that a live stream is joined at its live edge. To be called inside the click. */
  open(url: string): void;
  /** Stops the sound and lets go of the connection. */
  close(): void;
};

/** The only code that touches the audio element. An element tells no HTTP status, so every failure is just `lost`. */
export function createAudioPlayer(report: (what: AudioReport) => void): AudioPlayer {
  let audio: HTMLAudioElement | null = null;
  let connection: { watchdog: ReturnType<typeof setInterval> } | null = null;

  function attach(element: HTMLAudioElement): () => void {
    const reactions: [string, () => void][] = [
      ['playing', () => connection && report('sounding')],
      ['waiting', () => connection && report('dry')],
      ['error', () => end('lost')],
      ['ended', () => end('lost')],
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
    const opened = { watchdog: setInterval(watchForSilence(audio), WATCH_EVERY_MS) };
    connection = opened;
    audio.src = url;
    audio.play().catch((error: unknown) => {
      if (connection !== opened || hasName(error, 'AbortError')) return;
      end(hasName(error, 'NotAllowedError') ? 'blocked' : 'lost');
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

  function end(why: 'blocked' | 'lost' | 'pausedElsewhere'): void {
    if (!connection) return;
    close();
    report(why);
  }

  /** A stream can fall silent without any event: no progress and nothing buffered to play is a loss too. */
  function watchForSilence(element: HTMLAudioElement): () => void {
    let reached = 0;
    let progressedAt = Date.now();
    return () => {
      const now = Date.now();
      if (element.currentTime !== reached || element.readyState >= element.HAVE_FUTURE_DATA) {
        reached = element.currentTime;
        progressedAt = now;
      } else if (now - progressedAt >= SILENCE_ALLOWED_MS) {
        end('lost');
      }
    };
  }

  return { attach, open, close };
}

function hasName(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

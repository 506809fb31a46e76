import {
  type Connection,
  type ConnectionEnd,
  type ConnectionReport,
  isEnd,
  openConnection,
} from './audioConnection.ts';
import { createElementPair, type ElementPair } from './elementPair.ts';
import { isSilentProgramme, silentFor } from './programmeSilence.ts';
import type { SoundOutput } from './soundOutput.ts';

/**
 * The reports about the connection that is heard (see audioConnection.ts), about its replacement, and `silent` or `audible` when the
 * programme that it plays falls silent or is heard again.
 */
export type AudioReport = ConnectionReport | 'replaced' | 'notReplaced' | 'silent' | 'audible';

export type AudioPlayer = {
  /** Plays with these elements from now on; the first one is in the page. Returns a cleanup function. */
  attach(element: HTMLAudioElement, spare: HTMLAudioElement): () => void;
  /** Opens a new connection, so that a live stream is joined at its live edge. Call it inside the click handler. */
  open(url: string): void;
  /**
   * Opens another connection unheard, and plays on with it as soon as it sounds. If the present one is lost before that, the new one
   * takes its place while it opens.
   */
  replace(url: string): void;
  cancelReplacement(): void;
  /** Stops the sound but keeps the connection, which plays on unheard. If the connection ends meanwhile, only `resume` tells. */
  hold(): void;
  /** Continues the sound of a held connection: `gone` if the connection has ended, `opening` if it has not sounded yet. */
  resume(): 'gone' | 'opening' | 'sounding';
  /** Stops the sound and closes the connection. */
  close(): void;
  /** Returns the peak of what was heard last, from 0 to 1 whatever the volume; null if nothing is measured. */
  peak(): number | null;
};

/** Controls the audio elements; no other code plays them. An element tells no HTTP status, so askStream.ts asks why a stream does not open. */
export function createAudioPlayer(
  report: (what: AudioReport) => void,
  { output, isReplaceable }: { output: SoundOutput; isReplaceable: () => boolean },
): AudioPlayer {
  let pair: ElementPair | null = null;
  let heard: Connection | null = null;
  let next: Connection | null = null;
  let held = false;
  let silentMs = 0;

  function connect(element: HTMLAudioElement, url: string): Connection {
    const connection: Connection = openConnection(element, url, {
      report(what) {
        if (connection === heard) onHeard(what);
        else if (connection === next) onNext(what);
      },
      onCheck(gapMs) {
        if (connection === heard) measureSilence(gapMs);
      },
      isReplaceable,
    });
    return connection;
  }

  function onHeard(what: ConnectionReport): void {
    if (isEnd(what)) onHeardEnd(what);
    else if (!held) report(what);
  }

  function onHeardEnd(why: ConnectionEnd): void {
    heard = null;
    if (why === 'pausedElsewhere') dropNext();
    if (next) promoteNext();
    if (!held) report(why);
  }

  function onNext(what: ConnectionReport): void {
    if (what === 'sounding') {
      const replaced = heard;
      promoteNext();
      replaced?.close();
      report('replaced');
    } else if (isEnd(what)) {
      next = null;
      report('notReplaced');
    }
  }

  function promoteNext(): void {
    if (!pair || !next) return;
    output.setAudible(next.element, true);
    pair.swap();
    heard = next;
    next = null;
  }

  function dropNext(): void {
    next?.close();
    next = null;
  }

  function measureSilence(gapMs: number): void {
    const wasSilent = isSilentProgramme(silentMs);
    silentMs = silentFor(silentMs, peak(), gapMs);
    const isSilent = isSilentProgramme(silentMs);
    if (!held && isSilent !== wasSilent) report(isSilent ? 'silent' : 'audible');
  }

  function peak(): number | null {
    return heard && !held ? output.peak(heard.element) : null;
  }

  function close(): void {
    dropNext();
    heard?.close();
    heard = null;
    held = false;
    silentMs = 0;
  }

  return {
    attach(element, spare) {
      pair = createElementPair(element, spare);
      output.add(element);
      output.add(spare);
      return () => {
        close();
        output.close();
        pair = null;
      };
    },
    open(url) {
      close();
      if (!pair) return;
      output.unlock();
      pair.unlockSpare();
      output.setAudible(pair.heard(), true);
      heard = connect(pair.heard(), url);
    },
    replace(url) {
      dropNext();
      if (!pair || !heard) return;
      output.setAudible(pair.spare(), false);
      next = connect(pair.spare(), pair.addressForSpare(url));
    },
    cancelReplacement: dropNext,
    hold() {
      dropNext();
      if (!pair || !heard || held) return;
      held = true;
      output.setAudible(heard.element, false);
      heard.leavePage();
      pair.swap();
    },
    resume() {
      if (!pair || !heard) return 'gone';
      if (held) {
        held = false;
        pair.swap();
        heard.enterPage();
        output.setAudible(heard.element, true);
      }
      return heard.hasSounded() ? 'sounding' : 'opening';
    },
    close,
    peak,
  };
}

import {
  type Connection,
  type ConnectionEnd,
  type ConnectionReport,
  isEnd,
  openConnection,
} from './audioConnection.ts';
import { isSilentProgramme, silentFor } from './programmeSilence.ts';
import type { SoundOutput } from './soundOutput.ts';

/**
 * The reports about the connection that is heard (see audioConnection.ts), about its replacement, and `silent` or `audible` when the
 * programme that it plays falls silent or is heard again.
 */
export type AudioReport = ConnectionReport | 'replaced' | 'notReplaced' | 'silent' | 'audible';

export type AudioPlayer = {
  attach(first: HTMLAudioElement, second: HTMLAudioElement): () => void;
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
  close(): void;
  /** Returns the peak of what was heard last, from 0 to 1 whatever the volume; null if nothing is measured. */
  peak(): number | null;
};

export function createAudioPlayer(
  report: (what: AudioReport) => void,
  { output, isReplaceable }: { output: SoundOutput; isReplaceable: () => boolean },
): AudioPlayer {
  let elements: { inPage: HTMLAudioElement; spare: HTMLAudioElement } | null = null;
  let current: Connection | null = null;
  let next: Connection | null = null;
  let held = false;
  let silentMs = 0;
  let replacements = 0;

  function connect(element: HTMLAudioElement, url: string): Connection {
    const connection: Connection = openConnection(element, url, {
      report(what) {
        if (connection === current) onCurrent(what);
        else if (connection === next) onNext(what);
      },
      onCheck(gapMs) {
        if (connection === current) measureSilence(gapMs);
      },
      isReplaceable,
    });
    return connection;
  }

  function onCurrent(what: ConnectionReport): void {
    if (isEnd(what)) onCurrentEnd(what);
    else if (!held) report(what);
  }

  function onCurrentEnd(why: ConnectionEnd): void {
    current = null;
    if (why === 'pausedElsewhere') cancelReplacement();
    if (next) promoteNext();
    if (!held) report(why);
  }

  function onNext(what: ConnectionReport): void {
    if (what === 'sounding') {
      const replaced = current;
      promoteNext();
      replaced?.close();
      report('replaced');
    } else if (isEnd(what)) {
      next = null;
      report('notReplaced');
    }
  }

  function promoteNext(): void {
    if (!next) return;
    output.setAudible(next.element, true);
    swapElements();
    current = next;
    next = null;
  }

  function swapElements(): void {
    if (!elements) return;
    elements.inPage.replaceWith(elements.spare);
    elements = { inPage: elements.spare, spare: elements.inPage };
  }

  function cancelReplacement(): void {
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
    return current && !held ? output.peak(current.element) : null;
  }

  function close(): void {
    cancelReplacement();
    current?.close();
    current = null;
    held = false;
    silentMs = 0;
  }

  return {
    attach(first, second) {
      elements = { inPage: first, spare: second };
      output.add(first);
      output.add(second);
      return () => {
        close();
        output.close();
        elements = null;
      };
    },
    open(url) {
      close();
      if (!elements) return;
      output.unlock();
      // Inside a click handler, so that WebKit lets the spare element play later without a click of its own.
      elements.spare.load();
      output.setAudible(elements.inPage, true);
      current = connect(elements.inPage, url);
    },
    replace(url) {
      cancelReplacement();
      if (!elements || !current) return;
      output.setAudible(elements.spare, false);
      replacements += 1;
      // Without a fragment of its own Firefox would copy the first element's connection.
      next = connect(elements.spare, `${url}#${replacements}`);
    },
    cancelReplacement,
    hold() {
      cancelReplacement();
      if (!current || held) return;
      held = true;
      output.setAudible(current.element, false);
      current.leavePage();
      swapElements();
    },
    resume() {
      if (!current) return 'gone';
      if (held) {
        held = false;
        swapElements();
        current.enterPage();
        output.setAudible(current.element, true);
      }
      return current.hasSounded() ? 'sounding' : 'opening';
    },
    close,
    peak,
  };
}

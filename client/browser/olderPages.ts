import { succeeds } from '../page/succeeds.ts';
import type { Clock, OlderPages } from '../page/surroundings.ts';

/** Two pages whose play was pressed within this time may not have heard of each other: the later press wins. */
const SAME_TIME_MS = 2_000;

/** A page of release 2.0 tells when its play was pressed, or that it stopped. `isNewer`: from a page as this one. */
export type OlderPageMessage =
  | { epochMs: number; chance: number; isNewer?: true }
  | 'stop'
  | { asks: string };

export type Channel = {
  postMessage(message: OlderPageMessage): void;
  close(): void;
};

/**
 * Speaks with pages of release 2.0, which do not know the record `sound_in`, so that only one of two tabs plays while the
 * other has not been loaded again since an upgrade. To be deleted after one release.
 * @param onChange - called when sound is wanted in such a page, or no longer
 */
export function openOlderPages(
  { epochMs, chance }: Pick<Clock, 'epochMs' | 'chance'>,
  openChannel: (onMessage: (message: OlderPageMessage) => void) => Channel,
  onChange: (isWanted: boolean) => void,
): OlderPages {
  let pressedAt = Number.NEGATIVE_INFINITY;
  /** Null where the browser refuses it, as with blocked cookies. */
  let channel: Channel | null = null;
  succeeds(() => {
    channel = openChannel(receive);
  });

  function receive(message: OlderPageMessage): void {
    if (message === 'stop') {
      onChange(false);
    } else if ('epochMs' in message && !message.isNewer) {
      const earlierMs = pressedAt - message.epochMs;
      if (earlierMs <= 0 || earlierMs > SAME_TIME_MS) onChange(true);
    }
  }

  return {
    tell(isWanted) {
      pressedAt = isWanted ? epochMs() : Number.NEGATIVE_INFINITY;
      const claim = { epochMs: pressedAt, chance: chance(), isNewer: true } as const;
      succeeds(() => channel?.postMessage(isWanted ? claim : 'stop'));
    },
    close: () => channel?.close(),
  };
}

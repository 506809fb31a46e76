import type { ConnectionEvent } from '../../page/player/connectionEvents.ts';

/** An extension that changes the speed again and again has the last word: fighting on would only stutter. */
const SET_BACKS = 3;

/**
 * Sets the speed back to 1 when something else changed it, as extensions for videos do, and tells when that does not
 * help. Live sound cannot be faster than it comes, and slower it falls behind.
 */
export function createSpeedCheck(
  element: Pick<HTMLMediaElement, 'playbackRate'>,
  emit: (event: ConnectionEvent) => void,
) {
  let setBacks = 0;
  let isForced = false;

  return {
    isForced: () => isForced,
    check(): void {
      const isChanged = element.playbackRate !== 1;
      if (isChanged && setBacks < SET_BACKS) {
        setBacks += 1;
        element.playbackRate = 1;
      } else if (isChanged !== isForced) {
        isForced = isChanged;
        emit({ type: isForced ? 'speedForced' : 'speedFreed' });
      }
    },
  };
}

import type { StreamAudio } from '../../page/environment.ts';
import type { ConnectionEvent } from '../../page/player/connectionEvents.ts';
import { runSafely } from '../../page/runSafely.ts';
import { type Connection, createConnection } from './audioConnection.ts';
import type { SoundDevice } from './soundDevice.ts';
import type { SoundOutput } from './soundOutput.ts';

/**
 * Plays in two audio elements, so that a replacement can open beside the connection that is heard. Only the one that is
 * heard is in the document, as a child of `parent`.
 */
export function createStreamAudio(
  output: SoundOutput,
  device: SoundDevice,
  createElement: () => HTMLAudioElement,
  parent: Pick<Element, 'append'>,
  onEvent: (id: number, event: ConnectionEvent) => void,
): StreamAudio {
  const connections = new Map<number, Connection>();
  let attached = newElement();
  let spare = newElement();
  parent.append(attached);

  function newElement(): HTMLAudioElement {
    const element = createElement();
    output.add(element);
    return element;
  }

  function open(
    { id, isPlain }: { id: number; isPlain: boolean },
    url: string,
    element: HTMLAudioElement,
    audible: boolean,
  ): void {
    output.setAudible(element, audible);
    output.setReadable(element, !isPlain);
    const emit = (event: ConnectionEvent) => onEvent(id, event);
    if (isPlain && output.measures) emit({ type: 'unmeasured' });
    const peak = () => output.peak(element);
    const connection = createConnection(element, device, emit, peak);
    connections.set(id, connection);
    connection.open(url);
  }

  function swapElements(): void {
    attached.replaceWith(spare);
    [attached, spare] = [spare, attached];
  }

  return {
    run(effect) {
      switch (effect.type) {
        case 'open':
          if (effect.isBeside) {
            // The fragment keeps Firefox from copying the first element's connection.
            open(effect, `${effect.url}#${effect.id}`, spare, false);
          } else {
            // Inside a click handler, so that WebKit lets the spare element play later without a click of its own.
            runSafely(() => spare.load());
            open(effect, effect.url, attached, true);
          }
          break;
        case 'swap':
          output.setAudible(spare, true);
          swapElements();
          break;
        case 'close': {
          const connection = connections.get(effect.id);
          connections.delete(effect.id);
          connection?.close();
          break;
        }
        case 'hold':
          output.setAudible(attached, false);
          connections.get(effect.id)?.beforeDetach();
          swapElements();
          break;
        case 'release':
          swapElements();
          connections.get(effect.id)?.resume();
          output.setAudible(attached, true);
          break;
        case 'resume':
          connections.get(effect.id)?.resume();
      }
    },
    check() {
      device.check();
      for (const [id, connection] of connections) {
        try {
          connection.check();
        } catch {
          // A connection that cannot be watched is replaced.
          onEvent(id, { type: 'lost' });
        }
      }
    },
    peak: () => output.peak(attached),
    close() {
      output.close();
      attached.remove();
    },
  };
}

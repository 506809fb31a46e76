/**
 * Two audio elements, so that a second connection can open while the first still sounds. One of them is in the page: the one that is
 * heard.
 */
export type ElementPair = {
  heard(): HTMLAudioElement;
  spare(): HTMLAudioElement;
  /** Puts the spare element into the page in place of the other. */
  swap(): void;
  /** Call it inside a click handler: afterwards WebKit lets the spare element play without a click of its own. */
  unlockSpare(): void;
  /** Returns an address at which the spare element opens a connection of its own: Firefox would copy another element's. */
  addressForSpare(url: string): string;
};

export function createElementPair(first: HTMLAudioElement, second: HTMLAudioElement): ElementPair {
  let [heard, spare] = [first, second];
  let copies = 0;
  return {
    heard: () => heard,
    spare: () => spare,
    swap() {
      heard.replaceWith(spare);
      [heard, spare] = [spare, heard];
    },
    unlockSpare: () => spare.load(),
    addressForSpare(url) {
      copies += 1;
      return `${url}#${copies}`;
    },
  };
}

import { PassThrough } from 'node:stream';

/** The keyboard of a terminal: what is written to it counts as typed. */
export function terminalInput() {
  const keyboard = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode(raw: boolean) {
      keyboard.isRaw = raw;
    },
  });
  return keyboard;
}

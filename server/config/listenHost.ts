const EVERY_ADDRESS = ['0.0.0.0', '::', '0'];

/** Tells whether a server that listens at `host` listens at every address of the machine. */
export function isEveryAddress(host: string): boolean {
  return EVERY_ADDRESS.includes(host);
}

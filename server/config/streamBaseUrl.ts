/** Ends in the auth-sign parameter: `https://radio.example/live?wmsAuthSign=`. The group captures its name. */
export const STREAM_BASE_URL_PATTERN = /^[^#]*[?&]([^?&=#\s]+)=$/;

export function authSignParameterOf(streamBaseUrl: string): string {
  const name = STREAM_BASE_URL_PATTERN.exec(streamBaseUrl)?.[1];
  if (name === undefined) throw new Error('The stream base address does not end in a parameter');
  return name;
}

/** An address that goes into headers and commands: the host in its `xn--` form, other letters percent-encoded. */
export function asciiUrl(url: string): string {
  // An address in ASCII is used exactly as it was written.
  return /^[\x21-\x7e]*$/.test(url) ? url : new URL(url).href;
}

/** Fails in `check`, and is a warning at a start. */
export const CREDENTIALS_IN_ADDRESS =
  'STREAM_BASE_URL holds a user name or password, so no browser plays it, and every partner reads them: ask the provider for an address without';

/** No browser sends the user name and password of an address, and every partner would read them. */
export function holdsCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

/** Ends in the auth-sign parameter: `https://radio.example/live?wmsAuthSign=`. The group is its name. */
export const STREAM_BASE_URL_PATTERN = /^[^#]*[?&]([^?&=#\s]+)=$/;

export function authSignParameterOf(streamBaseUrl: string): string {
  const name = STREAM_BASE_URL_PATTERN.exec(streamBaseUrl)?.[1];
  if (name === undefined) throw new Error('The stream base address does not end in a parameter');
  return name;
}

/**
 * Returns the name of the auth-sign parameter, which a stream base address must end in: `wmsAuthSign` for
 * `https://radio.example/live?wmsAuthSign=`; null when the address does not end in `?<name>=` or `&<name>=`.
 */
export function authSignParameterOf(streamBaseUrl: string): string | null {
  return /^[^#]*[?&]([^?&=#\s]+)=$/.exec(streamBaseUrl)?.[1] ?? null;
}

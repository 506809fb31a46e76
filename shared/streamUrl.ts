/** The address that a player opens: the base followed directly by the token, nothing added or re-encoded. */
export function streamUrl(baseUrl: string, token: string): string {
  return baseUrl + token;
}

export function baseOfStreamUrl(url: string, token: string): string | null {
  return url.endsWith(token) ? url.slice(0, -token.length) : null;
}

/** What a player opens: the base followed directly by the token, nothing between, added or re-encoded. */
export function streamAddress(baseUrl: string, token: string): string {
  return baseUrl + token;
}

/** The base of a token's whole stream address; null when that does not end in the token. */
export function baseOfAddress(address: string, token: string): string | null {
  return address.endsWith(token) ? address.slice(0, -token.length) : null;
}

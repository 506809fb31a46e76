/** What a player opens: the base followed directly by the token, nothing between, added or re-encoded. */
export function streamAddress(baseUrl: string, token: string): string {
  return baseUrl + token;
}

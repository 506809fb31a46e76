const KEPT_MS = 60_000;

/** The address of the stream with a player's token; `isNew` for the one caller whose request made it. */
type RecentToken = { streamUrl: string; isNew: boolean };

/**
 * Keeps the address that a player's key was given for a minute after its token was made, in memory only, so that a player that
 * reconnects every few seconds gets the same token (docs/decisions/0029-keys.md).
 */
export function createRecentTokens() {
  const streamUrls = new Map<string, Promise<string>>();

  return {
    /**
     * Returns the key's recent address, or the one that `create` returns. Requests that arrive meanwhile wait for the same one; a failure
     * is passed on to them all, and not kept.
     */
    async get(key: string, create: () => Promise<string>): Promise<RecentToken> {
      const recent = streamUrls.get(key);
      if (recent !== undefined) return { streamUrl: await recent, isNew: false };
      const created = create();
      streamUrls.set(key, created);
      const forget = () => void streamUrls.delete(key);
      try {
        const streamUrl = await created;
        setTimeout(forget, KEPT_MS).unref();
        return { streamUrl, isNew: true };
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}

export type RecentTokens = ReturnType<typeof createRecentTokens>;

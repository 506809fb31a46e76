import { MINUTE_MS } from '../../shared/durations.ts';

const RECENT_MS = MINUTE_MS;

export type RecentTokens = ReturnType<typeof createRecentTokens>;

/** For a player that reconnects every few seconds (docs/decisions/0029-keys.md). Each instance remembers its own. */
export function createRecentTokens(clock: () => Date) {
  const recent = new Map<string, { streamUrl: string; madeAt: Date }>();
  const underWay = new Map<string, Promise<string>>();

  const isRecent = ({ madeAt }: { madeAt: Date }) => {
    const ageMs = clock().getTime() - madeAt.getTime();
    // A negative age means that the clock was set back.
    return ageMs >= 0 && ageMs < RECENT_MS;
  };

  return {
    async get(key: string, create: () => Promise<string>): Promise<{ streamUrl: string; isNew: boolean }> {
      const last = recent.get(key);
      if (last !== undefined && isRecent(last)) return { streamUrl: last.streamUrl, isNew: false };
      const other = underWay.get(key);
      if (other !== undefined) return { streamUrl: await other, isNew: false };
      const created = create();
      underWay.set(key, created);
      try {
        const streamUrl = await created;
        for (const [old, token] of recent) if (!isRecent(token)) recent.delete(old);
        recent.set(key, { streamUrl, madeAt: clock() });
        return { streamUrl, isNew: true };
      } finally {
        underWay.delete(key);
      }
    },
  };
}

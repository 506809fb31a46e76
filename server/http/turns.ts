/** Resolves when it is the caller's turn; undefined when that is now. The last of its networks counts, the largest. */
export type TakeTurn = (networks: readonly [string, ...string[]]) => Promise<void> | undefined;

/**
 * Creates fair turns on the event loop: a network starts at most `perTurn` requests in one turn of the loop, its further ones in
 * later turns. So a flood waits for itself, and what others ask, and what the database answers them, is read in between.
 */
export function createTurns({ perTurn }: { perTurn: number }): TakeTurn {
  const started = new Map<string, number>();
  const waiting = new Map<string, Array<() => void>>();

  function nextTurn(): void {
    started.clear();
    for (const [key, queue] of waiting) {
      const next = queue.splice(0, perTurn);
      if (queue.length === 0) waiting.delete(key);
      start(key, next.length);
      for (const begin of next) begin();
    }
  }

  function start(key: string, requests: number): void {
    if (started.size === 0) setImmediate(nextTurn);
    started.set(key, (started.get(key) ?? 0) + requests);
  }

  return (networks) => {
    const key = networks.at(-1) ?? networks[0];
    const queue = waiting.get(key);
    if (queue === undefined && (started.get(key) ?? 0) < perTurn) {
      start(key, 1);
      return undefined;
    }
    return new Promise((begin) => {
      if (queue === undefined) waiting.set(key, [begin]);
      else queue.push(begin);
    });
  };
}

/**
 * Resolves when the request may start; returns undefined when it may start at once.
 * @param networks - as `networksOf` returns them; requests are counted by the last, which is the largest
 */
export type TakeTurn = (networks: readonly [string, ...string[]]) => Promise<void> | undefined;

/**
 * Shares out the event loop: each network starts at most `perTurn` requests in one turn of the loop, and the rest in later turns.
 * During a flood from one network the loop thus still reads the requests of others and the database's answers to them.
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

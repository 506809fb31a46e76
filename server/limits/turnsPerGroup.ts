import PQueue from 'p-queue';

/**
 * Returns a function that waits for a turn in a group's queue, of which `maxAtOnce` are taken at once. It resolves with
 * the function that ends the turn, to be called once.
 */
export function createTurnsPerGroup({ maxAtOnce }: { maxAtOnce: number }) {
  const queues = new Map<string, PQueue>();

  return (group: string): Promise<() => void> => {
    const queue = queues.get(group) ?? new PQueue({ concurrency: maxAtOnce });
    if (!queues.has(group)) {
      queues.set(group, queue);
      queue.on('idle', () => queues.delete(group));
    }
    return new Promise((begin) => {
      void queue.add(() => new Promise<void>((end) => begin(end)));
    });
  };
}

import PQueue from 'p-queue';

/**
 * Creates a semaphore for each group. The returned function waits for one of a group's `maxAtOnce` turns, and resolves
 * with the function that releases it, to be called once.
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

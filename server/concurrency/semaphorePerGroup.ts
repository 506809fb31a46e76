import PQueue from 'p-queue';

/**
 * Creates a semaphore for each group. The returned function waits until fewer than `maxAtOnce` of the group are under
 * way, and resolves with the function that releases the semaphore, to be called once.
 */
export function createSemaphorePerGroup({ maxAtOnce }: { maxAtOnce: number }) {
  const queues = new Map<string, PQueue>();

  return (group: string): Promise<() => void> => {
    const queue = queues.get(group) ?? new PQueue({ concurrency: maxAtOnce });
    if (!queues.has(group)) {
      queues.set(group, queue);
      queue.on('idle', () => queues.delete(group));
    }
    return new Promise((acquired) => {
      void queue.add(() => new Promise<void>((release) => acquired(release)));
    });
  };
}

import PQueue from 'p-queue';

export function createKeyedQueue({ maxRunning }: { maxRunning: number }) {
  const queues = new Map<string, { queue: PQueue; underWay: number }>();

  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const entry = queues.get(key) ?? { queue: new PQueue({ concurrency: maxRunning }), underWay: 0 };
    queues.set(key, entry);
    entry.underWay += 1;
    try {
      return await entry.queue.add(work);
    } finally {
      entry.underWay -= 1;
      if (entry.underWay === 0) queues.delete(key);
    }
  };
}

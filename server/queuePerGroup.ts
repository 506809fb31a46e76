import PQueue from 'p-queue';

export function createQueuePerGroup({ maxRunning }: { maxRunning: number }) {
  const queues = new Map<string, { queue: PQueue; underWay: number }>();

  return async <T>(group: string, work: () => Promise<T>): Promise<T> => {
    const entry = queues.get(group) ?? { queue: new PQueue({ concurrency: maxRunning }), underWay: 0 };
    queues.set(group, entry);
    entry.underWay += 1;
    try {
      return await entry.queue.add(work);
    } finally {
      entry.underWay -= 1;
      if (entry.underWay === 0) queues.delete(group);
    }
  };
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import pg from 'pg';
import { vi } from 'vitest';

/** pg does not declare the number of its server process. */
type Client = pg.Client & { processID?: number };

type Task = {
  waiting: ((isLost: boolean) => void)[];
  running: Set<Client>;
  isStarted: boolean;
  isDone: boolean;
};

const LOSE_CONNECTION = 'SELECT pg_terminate_backend(pg_backend_pid())';
const NOT_BLOCKED = `SELECT FROM unnest($1::int[]) AS pid WHERE cardinality(pg_blocking_pids(pid)) = 0`;

const currentTask = new AsyncLocalStorage<Task>();
const changes = new EventEmitter();

/** Stops the queries of tasks in `runInterleaved` until it lets them go; other queries pass. */
export async function installQueryGate(url: string) {
  const query = pg.Client.prototype.query as (this: pg.Client, ...args: unknown[]) => Promise<unknown>;
  const probe = new pg.Client({ connectionString: url });
  await probe.connect();

  function gatedQuery(this: Client, ...args: unknown[]) {
    const task = currentTask.getStore();
    if (task === undefined) return query.apply(this, args);
    const callback =
      typeof args.at(-1) === 'function' ? (args.pop() as (...answer: unknown[]) => void) : null;
    const answer = askInTurn(task, this, args);
    if (callback === null) return answer;
    return void answer.then((result) => callback(null, result), callback);
  }

  async function askInTurn(task: Task, client: Client, args: unknown[]): Promise<unknown> {
    const isLost = await new Promise<boolean>((resolve) => {
      task.waiting.push((isLost) => {
        task.running.add(client);
        resolve(isLost);
      });
      changes.emit('change');
    });
    // Until then the pool would lend the lost connection again.
    const ended = isLost && new Promise((resolve) => client.once('end', resolve));
    return query.apply(client, isLost ? [LOSE_CONNECTION] : args).finally(async () => {
      await ended;
      task.running.delete(client);
      changes.emit('change');
    });
  }

  /** Waits until each task is done, waits at the gate, or waits for a lock that another one holds. */
  async function settle(tasks: readonly Task[]): Promise<void> {
    for (;;) {
      const running = tasks.flatMap((task) => [...task.running]);
      if (running.length > 0) {
        const pids = running.map(({ processID }) => processID);
        if ((await probe.query(NOT_BLOCKED, [pids])).rowCount !== 0) continue;
      }
      if (tasks.every(({ waiting, running, isDone }) => isDone || waiting.length + running.size > 0)) return;
      await once(changes, 'change');
    }
  }

  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(gatedQuery);
  return {
    /**
     * Runs tasks at once and lets their queries go one at a time: the next one goes when the last was answered or waits
     * for a lock.
     * @param order - a digit for each choice between tasks: the number of the one whose query goes next; 0 when they run out
     * @param lostAt - the query, counted from 0, instead of which its connection is lost
     * @returns `overlap`: whether one began before another was done; `isLost`: whether a connection was lost
     */
    async runInterleaved<T>(works: (() => Promise<T>)[], order: string, lostAt = -1) {
      const tasks: Task[] = works.map(() => ({
        waiting: [],
        running: new Set(),
        isStarted: false,
        isDone: false,
      }));
      const results = Promise.all(
        works.map((work, index) => {
          const task = tasks[index] as Task;
          return currentTask.run(task, work).finally(() => {
            task.isDone = true;
            changes.emit('change');
          });
        }),
      );
      results.catch(() => {});
      const choices = [...order];
      let overlap = false;
      let isLost = false;
      for (let count = 0; ; ) {
        await settle(tasks);
        const ready = tasks.filter(({ waiting }) => waiting.length > 0);
        // A task that failed may have left queries running or waiting.
        const isOver = tasks.every(({ running, isDone }) => isDone && running.size === 0);
        if (isOver && ready.length === 0) return { results: await results, overlap, isLost };
        const next = ready.length > 1 ? ready[Number(choices.shift() ?? 0)] : ready[0];
        // Without one, all wait for each other until PostgreSQL ends the deadlock.
        if (next === undefined) await once(changes, 'change');
        else {
          overlap ||= tasks.some((task) => task !== next && task.isStarted && !task.isDone);
          next.isStarted = true;
          isLost ||= count === lostAt;
          next.waiting.shift()?.(count === lostAt);
          count += 1;
        }
      }
    },
    async close() {
      spy.mockRestore();
      await probe.end();
    },
  };
}

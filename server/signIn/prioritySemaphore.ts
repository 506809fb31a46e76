import { CodedError } from '../errors.ts';

export type Turns = {
  /**
   * Does the work when its turn comes; the preferred come first.
   * @throws {CodedError} `RATE_LIMITED` when too many wait already, or the turn does not come in time
   */
  run<T>(work: () => Promise<T>, preferred: boolean): Promise<T>;
};

const RETRY_AFTER_SECONDS = 1;

/** Work of which only so much is done at once, and for which only so many wait, for so long. */
export function createTurns({
  atOnce,
  maxWaiting = Number.POSITIVE_INFINITY,
  maxWaitMs,
}: {
  atOnce: number;
  /** Of the preferred, and of the others. */
  maxWaiting?: number;
  /** For how long; some are refused sooner, from half of it on, so that a crowd does not come back all at once. */
  maxWaitMs?: number;
}): Turns {
  const preferredWaiting: Array<() => void> = [];
  const othersWaiting: Array<() => void> = [];
  let free = atOnce;

  function turn(waiting: Array<() => void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = () => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(tooMany());
      };
      const timer =
        maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs * (0.5 + Math.random() / 2));
      waiting.push(begin);
    });
  }

  return {
    async run(work, preferred) {
      const waiting = preferred ? preferredWaiting : othersWaiting;
      if (free > 0) free -= 1;
      else if (waiting.length < maxWaiting) await turn(waiting);
      else throw tooMany();
      try {
        return await work();
      } finally {
        const next = preferredWaiting.shift() ?? othersWaiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}

function tooMany(): CodedError {
  return new CodedError('RATE_LIMITED', 'Too many ask for this at once, try again in a moment', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

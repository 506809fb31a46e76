import DataLoader from 'dataloader';

/** How many share a query at most. */
const MOST_AT_ONCE = 200;

/**
 * Gathers what is asked within one turn of the event loop, that is by requests that arrived together, into one query: under load
 * a query costs more than a row of it. Nothing is remembered: each answer is read after it was asked for.
 * @param answer - answers as many as it is asked, in that order; where it fails, all who asked fail
 */
export function inOneQuery<Question, Answer>(
  answer: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  const loader = new DataLoader(answer, {
    cache: false,
    maxBatchSize: MOST_AT_ONCE,
    batchScheduleFn: (ask) => setImmediate(ask),
  });
  return (question) => loader.load(question);
}

import DataLoader from 'dataloader';

const MAX_BATCH_SIZE = 200;

/**
 * Gathers the calls of one event-loop turn, made by requests that arrived together, into one query.
 * Caches nothing: every answer is read after it was asked for.
 * @param query - returns one answer for each question, in their order; when it throws, all calls of the batch reject
 */
export function batched<Question, Answer>(
  query: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  const loader = new DataLoader(query, {
    cache: false,
    maxBatchSize: MAX_BATCH_SIZE,
    batchScheduleFn: (run) => setImmediate(run),
  });
  return (question) => loader.load(question);
}

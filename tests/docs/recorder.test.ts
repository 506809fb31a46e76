import { ApolloServerErrorCode } from '@apollo/server/errors';
import { describe, expect, test } from 'vitest';
import {
  createApi,
  EXIT_MISUSED,
  Failure,
  keepRecording,
  networkCode,
  reactionTo,
  Stop,
} from '../../docs/examples/recorder.mjs';

import { REQUEST_CODES } from '../../server/errors.ts';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-11-21T18:00:00Z');
const HALFWAY = () => 0.5;

type Answer = { data: object } | { code: string; retryAfterSeconds?: number } | Error | string;
type Asked = { operation: string; session: string | undefined };

const operationOf = (query: string) => /login|createToken|logout/.exec(query)?.[0] ?? query;

/**
 * Runs the recorder with a simulated clock, API and stream. `answers` are the API's first answers to each operation; later
 * ones succeed. `connections` are the milliseconds until each connection is lost, or its failure; later ones last for ever.
 */
function world({
  answers = {},
  connections = [],
  untilMs = 1,
}: {
  answers?: Record<string, Answer[]>;
  connections?: Array<number | Failure>;
  untilMs?: number;
}) {
  let nowMs = 0;
  let sessions = 0;
  let tokens = 0;
  const asked: Asked[] = [];
  const waits: number[] = [];
  const opened: string[] = [];
  const said: string[] = [];
  const stopping = new AbortController();
  const timers: Array<{ dueMs: number; ring: () => void }> = [];

  const wellAnswers: Record<string, () => object> = {
    login: () => {
      sessions += 1;
      return {
        login: { jwt: `jwt-${sessions}`, expiry: new Date(START + nowMs + 12 * HOUR_MS).toISOString() },
      };
    },
    createToken: () => {
      tokens += 1;
      return { createToken: { streamUrl: `stream-${tokens}` } };
    },
    logout: () => ({ logout: true }),
  };

  const api = createApi({
    address: 'https://audio.example/graphql',
    username: 'radio@uno.example',
    password: 'secreto-1',
    nowMs: () => nowMs,
    async fetch(_address, init) {
      const operation = operationOf(JSON.parse(String(init?.body)).query);
      const session = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '');
      asked.push({ operation, session });
      const answer = answers[operation]?.shift() ?? { data: wellAnswers[operation]?.() ?? {} };
      if (answer instanceof Error) throw answer;
      if (typeof answer === 'string') return new Response(answer, { status: 502 });
      const body =
        'code' in answer
          ? { errors: [{ message: `told ${answer.code}`, extensions: answer }] }
          : { data: answer.data };
      const date = new Date(START + nowMs).toUTCString();
      return Response.json(body, { headers: { date, 'x-request-id': `id-${asked.length}` } });
    },
  });

  /** Resolves after `ms` of simulated time, or when the run stops. */
  function sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (stopping.signal.aborted) resolve();
      else timers.push({ dueMs: nowMs + ms, ring: resolve });
    });
  }

  /** Advances the simulated clock to the next timer whenever nothing else is pending. */
  async function passTime(): Promise<void> {
    while (!stopping.signal.aborted) {
      await new Promise(setImmediate);
      timers.sort((a, b) => a.dueMs - b.dueMs);
      const next = timers[0];
      if (next === undefined || next.dueMs > untilMs) stopping.abort();
      else {
        timers.shift();
        nowMs = next.dueMs;
        next.ring();
      }
    }
    for (const { ring } of timers) ring();
  }

  return {
    asked,
    waits,
    opened,
    said,
    operations: () => asked.map(({ operation }) => operation),
    async run(): Promise<void> {
      const recording = keepRecording({
        api,
        nowMs: () => nowMs,
        random: HALFWAY,
        signal: stopping.signal,
        log: (message) => void said.push(message),
        wait(ms) {
          if (ms < HOUR_MS) waits.push(ms);
          return sleep(ms);
        },
        async recordConnection(streamUrl) {
          opened.push(streamUrl);
          const fate = connections.shift() ?? Number.POSITIVE_INFINITY;
          if (fate instanceof Failure) throw fate;
          await sleep(fate);
          if (!stopping.signal.aborted) throw new Failure('STREAM', 'the stream was lost');
        },
      });
      const [outcome] = await Promise.allSettled([recording.finally(() => stopping.abort()), passTime()]);
      if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}

describe('an unattended tool', () => {
  test('signs in once, opens one connection with one token, and leaves no session behind', async () => {
    const { run, asked, opened } = world({});
    await run();
    expect(asked).toEqual([
      { operation: 'login', session: undefined },
      { operation: 'createToken', session: 'jwt-1' },
      { operation: 'logout', session: 'jwt-1' },
    ]);
    expect(opened).toEqual(['stream-1']);
  });

  test('renews its session an hour before it ends, and the old one goes with the same request', async () => {
    const { run, asked } = world({ untilMs: 24 * HOUR_MS });
    await run();
    expect(asked).toEqual([
      { operation: 'login', session: undefined },
      { operation: 'createToken', session: 'jwt-1' },
      { operation: 'login', session: 'jwt-1' },
      { operation: 'login', session: 'jwt-2' },
      { operation: 'logout', session: 'jwt-3' },
    ]);
  });

  test('opens a lost stream with a fresh token, soon, and with the session that it has', async () => {
    const { run, operations, opened, waits } = world({
      connections: [HOUR_MS, HOUR_MS],
      untilMs: 3 * HOUR_MS,
    });
    await run();
    expect(operations()).toEqual(['login', 'createToken', 'createToken', 'createToken', 'logout']);
    expect(opened).toEqual(['stream-1', 'stream-2', 'stream-3']);
    expect(waits).toEqual([1_500, 1_500]);
  });

  test('waits longer and longer, up to 15 s, where a stream is lost again at once', async () => {
    const refused = new Failure('STREAM', 'the stream is refused with status 403');
    const { run, waits } = world({ connections: Array<Failure>(9).fill(refused), untilMs: HOUR_MS });
    await run();
    expect(waits).toEqual([1_500, 3_000, 6_000, ...Array<number>(6).fill(11_250)]);
  });

  test.each(['PROVIDER_UNAVAILABLE', 'PROVIDER_BAD_ANSWER', 'DATABASE_UNAVAILABLE', 'INTERNAL_SERVER_ERROR'])(
    'tries again after %s',
    async (code) => {
      const { run, waits, operations } = world({
        answers: { createToken: [{ code }, { code }] },
        untilMs: HOUR_MS,
      });
      await run();
      expect(waits).toEqual([1_500, 3_000]);
      expect(operations()).toEqual(['login', 'createToken', 'createToken', 'createToken', 'logout']);
    },
  );

  test.each<[string, Answer]>([
    ['nobody answers', new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })],
    ['a proxy answers', '<h1>Bad Gateway</h1>'],
  ])('tries again where %s', async (_what, answer) => {
    const { run, waits, opened } = world({
      answers: { login: [answer], createToken: [answer] },
      untilMs: HOUR_MS,
    });
    await run();
    expect(waits).toEqual([1_500, 3_000]);
    expect(opened).toEqual(['stream-1']);
  });

  test('waits after RATE_LIMITED for as long as it is told, not longer for each', async () => {
    const limited = { code: 'RATE_LIMITED', retryAfterSeconds: 900 };
    const { run, waits, opened } = world({ answers: { login: [limited, limited] }, untilMs: HOUR_MS });
    await run();
    expect(waits).toEqual([900_500, 900_500]);
    expect(opened).toEqual(['stream-1']);
  });

  test('signs in again where its session counts no longer', async () => {
    const { run, asked, opened } = world({
      connections: [HOUR_MS],
      answers: {
        createToken: [{ data: { createToken: { streamUrl: 'first' } } }, { code: 'UNAUTHENTICATED' }],
      },
      untilMs: 2 * HOUR_MS,
    });
    await run();
    expect(asked).toEqual([
      { operation: 'login', session: undefined },
      { operation: 'createToken', session: 'jwt-1' },
      { operation: 'createToken', session: 'jwt-1' },
      { operation: 'login', session: undefined },
      { operation: 'createToken', session: 'jwt-2' },
      { operation: 'logout', session: 'jwt-2' },
    ]);
    expect(opened).toEqual(['first', 'stream-1']);
  });

  test('signs in again once only: a new session that is refused too ends it', async () => {
    const unauthenticated = { code: 'UNAUTHENTICATED' };
    const { run, operations } = world({ answers: { createToken: [unauthenticated, unauthenticated] } });
    await expect(run()).rejects.toMatchObject({ exitCode: 77 });
    expect(operations()).toEqual(['login', 'createToken', 'logout']);
  });

  test.each([
    ['INVALID_CREDENTIALS', 77],
    ['BAD_USER_INPUT', 78],
    ['GRAPHQL_VALIDATION_FAILED', 78],
  ])('ends at once with %s, exit code %i, having tried once', async (code, exitCode) => {
    const { run, operations, waits } = world({ answers: { login: [{ code }] } });
    const error: unknown = await run().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Stop);
    expect(error).toMatchObject({ exitCode, message: `${code}: told ${code} (x-request-id id-1)` });
    expect(operations()).toEqual(['login']);
    expect(waits).toEqual([]);
  });

  test('goes on recording where its session is not renewed, and ends when the stream is lost', async () => {
    const { run, opened, said } = world({
      connections: [13 * HOUR_MS],
      answers: {
        login: [
          { data: { login: { jwt: 'jwt-0', expiry: new Date(START + 12 * HOUR_MS).toISOString() } } },
          { code: 'INVALID_CREDENTIALS' },
          { code: 'INVALID_CREDENTIALS' },
        ],
      },
      untilMs: 20 * HOUR_MS,
    });
    await expect(run()).rejects.toMatchObject({ exitCode: 77 });
    expect(opened).toEqual(['stream-1']);
    expect(said[0]).toMatch(/^The session is renewed no more\./);
  });

  test('that renews in vain for a while does it as soon as it can', async () => {
    const { run, operations } = world({
      answers: {
        login: [
          { data: { login: { jwt: 'jwt-0', expiry: new Date(START + 12 * HOUR_MS).toISOString() } } },
          { code: 'DATABASE_UNAVAILABLE' },
        ],
      },
      untilMs: 12 * HOUR_MS,
    });
    await run();
    expect(operations()).toEqual(['login', 'createToken', 'login', 'login', 'logout']);
  });

  test('ends over every code that says that it asks wrongly, and waits after one that it does not know', () => {
    const passing = ['INTERNAL_SERVER_ERROR', 'PERSISTED_QUERY_NOT_FOUND'];
    const codes = [...REQUEST_CODES, ...Object.values(ApolloServerErrorCode)];
    for (const code of codes.filter((each) => !passing.includes(each))) {
      const reaction = reactionTo(new Failure(code, ''), 1, HALFWAY);
      expect([code, reaction]).toEqual([code, { what: 'stop', exitCode: EXIT_MISUSED }]);
    }
    expect(reactionTo(new Failure('NEW_NEXT_YEAR', ''), 1, HALFWAY)).toEqual({ what: 'wait', ms: 1_500 });
  });

  test.each(['INTERNAL_SERVER_ERROR', 'NEW_NEXT_YEAR'])(
    'goes on over %s for as long as it lasts',
    async (code) => {
      const { run, opened, said } = world({
        answers: { createToken: Array<Answer>(100).fill({ code }) },
        untilMs: HOUR_MS,
      });
      await run();
      expect(opened).toEqual(['stream-1']);
      expect(said).toHaveLength(100);
      expect(said[0]).toBe(`${code}: told ${code} (x-request-id id-2); trying again in 2 s.`);
    },
  );

  test('never waits the same as the others: by chance up to half of it less', () => {
    const failure = new Failure('UNREACHABLE', '');
    expect(reactionTo(failure, 3, () => 0)).toEqual({ what: 'wait', ms: 8_000 });
    expect(reactionTo(failure, 3, () => 1)).toEqual({ what: 'wait', ms: 4_000 });
  });

  test('tells of a network error its code, never its address', () => {
    const error = new TypeError('Failed to parse https://stream.example?wmsAuthSign=secret');
    expect(networkCode(error)).toBe('TypeError');
    expect(networkCode(new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }))).toBe('ECONNRESET');
  });
});

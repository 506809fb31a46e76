/**
 * The logic of an unattended tool: keeps one session and renews it, creates a token for each connection and reacts to each
 * failure. `record.mjs` is the program around it.
 */

/** Longer than any answer of the API takes; the shorter one is for signing out at the end. */
const ANSWER_LIMIT_MS = 15_000;
const LAST_ANSWER_LIMIT_MS = 3_000;
/** The part of a session's life after which it is renewed: of twelve hours one is left for further tries. */
const RENEWED_AFTER = 11 / 12;
const FIRST_WAIT_MS = 2_000;
/** Short, because missed audio of a live stream is lost. */
const LONGEST_WAIT_MS = 15_000;
/** Assumed at least, so that wrong clocks never cause frequent renewals. */
const SHORTEST_SESSION_MS = 60_000;
/** A connection that lasted this long counts as a success, however it ended. */
const STEADY_MS = 30_000;

/** Exit codes for process managers, as in sysexits.h: a restart helps with neither. */
export const EXIT_NOT_ALLOWED = 77;
export const EXIT_MISUSED = 78;

const LOGIN = `mutation ($username: String!, $password: String!) {
  login(username: $username, password: $password) { expiry jwt }
}`;
const CREATE_TOKEN = 'mutation { createToken { streamUrl } }';
const LOGOUT = 'mutation { logout }';

/** A failure; `code` is the API's or our own `UNREACHABLE`, `STREAM` or `RECORDER`. */
export class Failure extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {number} [retryAfterSeconds]
   */
  constructor(code, message, retryAfterSeconds) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
    /** Whether the session had only just begun. */
    this.isOfNewSession = false;
  }
}

/** Ends the program: trying again would not help. `exitCode` tells the process manager. */
export class Stop extends Error {
  /**
   * @param {number} exitCode
   * @param {string} message
   */
  constructor(exitCode, message) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Returns the reaction to a failure.
 * @typedef {{ what: 'stop', exitCode: number } | { what: 'sign in' } | { what: 'wait', ms: number }} Reaction
 * @param {Failure} failure
 * @param {number} failuresInARow this one included
 * @param {() => number} random from 0 to 1
 * @returns {Reaction}
 */
export function reactionTo(failure, failuresInARow, random) {
  switch (failure.code) {
    case 'INVALID_CREDENTIALS':
      return { what: 'stop', exitCode: EXIT_NOT_ALLOWED };
    case 'UNAUTHENTICATED':
      return failure.isOfNewSession ? { what: 'stop', exitCode: EXIT_NOT_ALLOWED } : { what: 'sign in' };
    case 'RATE_LIMITED':
      return { what: 'wait', ms: (failure.retryAfterSeconds ?? 60) * 1_000 + random() * 1_000 };
    case 'BAD_USER_INPUT':
    case 'GRAPHQL_PARSE_FAILED':
    case 'GRAPHQL_VALIDATION_FAILED':
    case 'OPERATION_RESOLUTION_FAILURE':
    case 'PERSISTED_QUERY_NOT_SUPPORTED':
    case 'BAD_REQUEST':
    case 'NOT_FOUND':
    case 'METHOD_NOT_ALLOWED':
    case 'PAYLOAD_TOO_LARGE':
    case 'UNSUPPORTED_MEDIA_TYPE':
      return { what: 'stop', exitCode: EXIT_MISUSED };
    default:
      // Temporary faults: the provider, the database, the network, the stream, and codes of later releases.
      return { what: 'wait', ms: waitAfter(failuresInARow, random) };
  }
}

/**
 * Returns the wait in milliseconds: doubled each time up to 15 s, then shortened at random by up to half, so that not everybody
 * returns at once.
 * @param {number} failuresInARow
 * @param {() => number} random
 */
function waitAfter(failuresInARow, random) {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failuresInARow - 1));
  return longest * (1 - random() / 2);
}

/**
 * Creates a client of the API with one session, started when first needed.
 * @typedef {ReturnType<typeof createApi>} Api
 * @param {{ address: string, username: string, password: string, fetch: typeof globalThis.fetch, nowMs: () => number }} options
 *   `nowMs`: a monotonic clock
 */
export function createApi({ address, username, password, fetch, nowMs }) {
  /** @type {{ jwt: string, endsAtMs: number, renewAtMs: number } | null} */
  let session = null;
  /** @type {Promise<unknown>} */
  let lastAsked = Promise.resolve();

  /**
   * Runs calls one at a time, so that no token is asked for with a session that is just being replaced.
   * @template T
   * @param {() => Promise<T>} ask
   * @returns {Promise<T>}
   */
  function inTurn(ask) {
    const answer = lastAsked.then(ask);
    lastAsked = answer.catch(() => {});
    return answer;
  }

  /**
   * @param {string} query
   * @param {Record<string, string>} [variables]
   */
  async function ask(query, variables = {}, limitMs = ANSWER_LIMIT_MS) {
    const answer = await post(query, variables, limitMs).catch((error) => {
      throw new Failure('UNREACHABLE', `the API is not reached (${networkCode(error)})`);
    });
    const body = await answer.json().catch(() => null);
    const id = answer.headers.get('x-request-id');
    const requestId = id === null ? '' : ` (x-request-id ${id})`;
    const [error] = body?.errors ?? [];
    if (error !== undefined) {
      const { code = 'UNKNOWN', retryAfterSeconds } = error.extensions ?? {};
      throw new Failure(code, `${error.message}${requestId}`, retryAfterSeconds);
    }
    if (!body?.data) {
      throw new Failure('UNREACHABLE', `no answer of the API, but status ${answer.status}${requestId}`);
    }
    return { data: body.data, sentAtMs: Date.parse(answer.headers.get('date') ?? '') || Date.now() };
  }

  /**
   * @param {string} query
   * @param {Record<string, string>} variables
   * @param {number} limitMs
   */
  function post(query, variables, limitMs) {
    return fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(session && { authorization: `Bearer ${session.jwt}` }),
      },
      body: JSON.stringify({ query, variables }),
      redirect: 'error',
      signal: AbortSignal.timeout(limitMs),
    });
  }

  /** Starts a session; the server ends the one that the request carries. */
  async function signIn() {
    const askedAtMs = nowMs();
    const { data, sentAtMs } = await ask(LOGIN, { username, password });
    // Counts by the server's clock only, since ours may be wrong.
    const lifetimeMs = Math.max(SHORTEST_SESSION_MS, Date.parse(data.login.expiry) - sentAtMs);
    session = {
      jwt: data.login.jwt,
      endsAtMs: askedAtMs + lifetimeMs,
      renewAtMs: askedAtMs + lifetimeMs * RENEWED_AFTER,
    };
  }

  return {
    /** Replaces the session by a new one. */
    signIn: () => inTurn(signIn),
    /**
     * Creates a token and returns the stream's address, which opens connections for 20 minutes.
     * @returns {Promise<string>}
     */
    createStreamUrl: () =>
      inTurn(async () => {
        const isNew = session === null || nowMs() >= session.endsAtMs;
        if (isNew) await signIn();
        try {
          const { data } = await ask(CREATE_TOKEN);
          return data.createToken.streamUrl;
        } catch (error) {
          if (error instanceof Failure) error.isOfNewSession = isNew;
          throw error;
        }
      }),
    /** Drops an ended session, so that the next token begins with a sign-in. */
    forgetSession() {
      session = null;
    },
    msUntilRenewal: () => (session === null ? LONGEST_WAIT_MS : session.renewAtMs - nowMs()),
    /** Ends the session on the server. */
    signOut: () =>
      inTurn(async () => {
        if (session !== null) await ask(LOGOUT, {}, LAST_ANSWER_LIMIT_MS);
        session = null;
      }),
  };
}

/**
 * Records until `signal` aborts: one connection after the other, each with a token of its own.
 * @param {{
 *   api: Api,
 *   recordConnection: (streamUrl: string, number: number) => Promise<void>,
 *   nowMs: () => number,
 *   wait: (ms: number, signal: AbortSignal) => Promise<void>,
 *   random: () => number,
 *   log: (message: string) => void,
 *   signal: AbortSignal,
 * }} world `recordConnection` resolves when `signal` ended it and rejects with a `Failure` when anything else did; `wait`
 *   resolves early once its signal is aborted
 * @throws {Stop} when no more trying would help
 */
export async function keepRecording(world) {
  const { api, recordConnection, nowMs, log, signal } = world;
  let failuresInARow = 0;
  let keepingSession = false;
  let connections = 0;
  try {
    while (!signal.aborted) {
      let openedAtMs = Number.POSITIVE_INFINITY;
      try {
        const streamUrl = await api.createStreamUrl();
        if (!keepingSession) void keepSession(world);
        keepingSession = true;
        if (signal.aborted) break;
        openedAtMs = nowMs();
        connections += 1;
        await recordConnection(streamUrl, connections);
      } catch (error) {
        if (signal.aborted) break;
        failuresInARow = nowMs() - openedAtMs >= STEADY_MS ? 1 : failuresInARow + 1;
        await react(error, failuresInARow, world);
      }
    }
  } finally {
    await api.signOut().catch(({ message }) => log(`The session was not ended: ${message}`));
  }
}

/**
 * Renews the session before it ends, so that a stream lost late in the session needs one request, not two. If renewal fails, the
 * recording goes on.
 * @param {Parameters<typeof keepRecording>[0]} world
 */
async function keepSession(world) {
  const { api, wait, log, signal } = world;
  let failuresInARow = 0;
  while (!signal.aborted) {
    const ms = api.msUntilRenewal();
    try {
      if (ms > 0) await wait(ms, signal);
      else {
        await api.signIn();
        failuresInARow = 0;
        log('The session was renewed.');
      }
    } catch (error) {
      failuresInARow += 1;
      try {
        await react(error, failuresInARow, world);
      } catch (stop) {
        if (!(stop instanceof Stop)) throw stop;
        return log(`The session is renewed no more. ${stop.message}`);
      }
    }
  }
}

/**
 * Waits, signs in again or stops, as the failure demands.
 * @param {unknown} error
 * @param {number} failuresInARow
 * @param {Parameters<typeof keepRecording>[0]} world
 */
async function react(error, failuresInARow, { api, wait, random, log, signal }) {
  if (!(error instanceof Failure)) throw error;
  const reaction = reactionTo(error, failuresInARow, random);
  if (reaction.what === 'stop') throw new Stop(reaction.exitCode, `${error.code}: ${error.message}`);
  if (reaction.what === 'sign in') {
    log(`${error.code}: signing in again.`);
    api.forgetSession();
    return;
  }
  log(`${error.code}: ${error.message}; trying again in ${Math.ceil(reaction.ms / 1_000)} s.`);
  await wait(reaction.ms, signal);
}

/**
 * Returns the code of a network error, without the address in its message.
 * @param {unknown} error
 */
export function networkCode(error) {
  if (!(error instanceof Error)) return 'unknown';
  const { cause, code } = /** @type {NodeJS.ErrnoException & { cause?: { code?: string } }} */ (error);
  return cause?.code ?? code ?? error.name;
}

const MINUTE_S = 60;

/** Of what is there; beyond it queues grow faster than the load. */
const BUSY_AT_MOST = 0.7;

const MATCH_DAYS_A_YEAR = 150;
const MATCH_S = 180 * MINUTE_S;
const TOKEN_EVERY_S = 20 * MINUTE_S;

/** What a partner asks for a second: in the five minutes before kick-off, when all come, and while the match lasts. */
export const PHASES = {
  'kick-off': { signIn: 1 / (5 * MINUTE_S), createToken: 1 / (5 * MINUTE_S), session: 1 / (5 * MINUTE_S) },
  match: { signIn: 0, createToken: 1 / TOKEN_EVERY_S, session: 3 / TOKEN_EVERY_S },
} as const;

export type Phase = keyof typeof PHASES;
export type Operation = keyof (typeof PHASES)[Phase];

/** What one operation takes: processor time in ms, and questions to PostgreSQL, each of which holds a connection. */
export type Cost = {
  /** Of the instance's main thread, which is one core at most. */
  loopMs: number;
  /** Of its other threads, where passwords are hashed. */
  hashMs: number;
  postgresMs: number;
  roundTrips: number;
};

export type Costs = Record<Operation, Cost>;

export type Capacity = {
  /** Passwords that one instance hashes at once. */
  hashThreads: number;
  /** Of one instance to PostgreSQL, and how long a question holds one. */
  poolConnections: number;
  roundTripMs: number;
  /** Of one instance to the provider, and how long that takes for a token. */
  providerConnections: number;
  providerMs: number;
  /** Of the machine that all runs on, where it is only one. */
  cores: number;
};

/** A part and how many partners it carries, each phase for itself; `Infinity` where they ask nothing of it. */
export type Limit = { part: string; partners: Record<Phase, number> };

/** At how many partners each part is as busy as it may be. */
export function limitsOf(costs: Costs, capacity: Capacity): Limit[] {
  const { hashThreads, poolConnections, roundTripMs, providerConnections, providerMs, cores } = capacity;
  const SECOND_MS = 1_000;
  const parts: Array<{ part: string; ms: (cost: Cost, operation: Operation) => number; atOnce: number }> = [
    { part: 'hashing of one instance', ms: ({ hashMs }) => hashMs, atOnce: hashThreads },
    { part: 'event loop of one instance', ms: ({ loopMs }) => loopMs, atOnce: 1 },
    {
      part: 'connections of one instance to PostgreSQL',
      ms: ({ roundTrips }) => roundTrips * roundTripMs,
      atOnce: poolConnections,
    },
    {
      part: 'connections of one instance to the provider',
      ms: (_cost, operation) => (operation === 'createToken' ? providerMs : 0),
      atOnce: providerConnections,
    },
    { part: 'each core of PostgreSQL', ms: ({ postgresMs }) => postgresMs, atOnce: 1 },
    {
      part: 'this machine with all of it',
      ms: ({ loopMs, hashMs, postgresMs }) => loopMs + hashMs + postgresMs,
      atOnce: cores,
    },
  ];
  return parts.map(({ part, ms, atOnce }) => {
    const inPhase = (phase: Phase) => {
      const operations = Object.entries(costs) as Array<[Operation, Cost]>;
      const msOfPartner = operations.reduce(
        (sum, [operation, cost]) => sum + PHASES[phase][operation] * ms(cost, operation),
        0,
      );
      return (BUSY_AT_MOST * atOnce * SECOND_MS) / msOfPartner;
    };
    return { part, partners: { 'kick-off': inPhase('kick-off'), match: inPhase('match') } };
  });
}

/** What a partner's tokens of a year take in the ledger. */
export function ledgerBytesAYear(bytesOfToken: number): number {
  return MATCH_DAYS_A_YEAR * (MATCH_S / TOKEN_EVERY_S) * bytesOfToken;
}

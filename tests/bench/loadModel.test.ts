import { expect, test } from 'vitest';
import { type Capacity, type Costs, ledgerBytesAYear, limitsOf } from '../../bench/loadModel.ts';

const COSTS: Costs = {
  signIn: { loopMs: 1, hashMs: 21, postgresMs: 1, roundTrips: 2 },
  createToken: { loopMs: 1, hashMs: 0, postgresMs: 0.5, roundTrips: 2 },
  session: { loopMs: 1, hashMs: 0, postgresMs: 0.5, roundTrips: 1 },
};
const CAPACITY: Capacity = {
  hashThreads: 3,
  poolConnections: 10,
  roundTripMs: 2,
  providerConnections: 64,
  providerMs: 200,
  cores: 4,
};

/** In whole partners: how many of a part's 70 % busy milliseconds a second one asks for. */
const limits = Object.fromEntries(
  limitsOf(COSTS, CAPACITY).map(({ part, partners }) => [
    part,
    [Math.round(partners['kick-off']), Math.round(partners.match)],
  ]),
);

test('a part gives way when seventy in a hundred of it are asked for', () => {
  expect(limits).toEqual({
    'hashing of one instance': [30_000, Infinity],
    'event loop of one instance': [70_000, 210_000],
    'connections of one instance to PostgreSQL': [210_000, 840_000],
    'connections of one instance to the provider': [67_200, 268_800],
    'each core of PostgreSQL': [105_000, 420_000],
    'this machine with all of it': [32_308, 560_000],
  });
});

test('twice as many hashing threads carry twice as many partners at kick-off', () => {
  const [{ partners } = { partners: { 'kick-off': 0 } }] = limitsOf(COSTS, { ...CAPACITY, hashThreads: 6 });
  expect(partners['kick-off']).toBeCloseTo(60_000);
});

test("a partner's ledger of a year is nine tokens on each of 150 match days", () => {
  expect(ledgerBytesAYear(300)).toBe(150 * 9 * 300);
});

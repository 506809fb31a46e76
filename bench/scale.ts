import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Benchmark, Effort, Row, Table } from './benchmark.ts';
import { cpuTimeOf, cpuTimeOfFamily, parentOf } from './cpuTime.ts';
import { median, quantile } from './figures.ts';
import { LOGIN, OPERATIONS } from './graphql/operations.ts';
import { drive, expecting, fromAddressOfItsOwn, graphqlQuestion, type Question } from './load.ts';
import {
  type Capacity,
  type Cost,
  type Costs,
  type Limit,
  ledgerBytesAYear,
  limitsOf,
  type Operation,
  PHASES,
  type Phase,
} from './loadModel.ts';
import { ACCOUNT, openWorld, startApp, type World } from './world.ts';

const ACCOUNTS = 500;
const COSTED_AT_ONCE = 8;
const PROVIDER_MS = 20;
/** More than are ever under way, unless it has given way. */
const CONNECTIONS = 512;
/** What of the model's limit is played. */
const SHARES = [0.25, 0.5, 1, 1.5, 2];
/** As the server has them: server/database/database.ts, server/streamTokens/provider.ts, server/signIn/signIn.ts. */
const POOL_CONNECTIONS = 10;
const PROVIDER_CONNECTIONS = 256;
const MOST_HASH_THREADS = 3;
const ROUND_TRIPS: Record<Operation, number> = { signIn: 2, createToken: 2, session: 1 };

/** What operations cost, at how many partners that gives way by the model, and a match day played with fewer and more. */
export const scaleBenchmark: Benchmark = {
  name: 'scale',
  async run(effort) {
    const world = await openWorld({ providerMs: PROVIDER_MS });
    const app = await startApp(world);
    try {
      const {
        id: _,
        username: __,
        ...account
      } = await world.prisma.account.findUniqueOrThrow({
        where: { username: ACCOUNT.username },
      });
      await world.prisma.account.createMany({
        data: Array.from({ length: ACCOUNTS }, (_, index) => ({ ...account, username: usernameOf(index) })),
      });
      const costs = await costsOf(world, app, effort);
      const capacity: Capacity = {
        hashThreads: Math.max(1, Math.min(availableParallelism(), MOST_HASH_THREADS)),
        poolConnections: POOL_CONNECTIONS,
        roundTripMs: await roundTripMs(world),
        providerConnections: PROVIDER_CONNECTIONS,
        providerMs: PROVIDER_MS,
        cores: availableParallelism(),
      };
      const limits = limitsOf(costs, capacity);
      const ledger = await bytesOfToken(world);
      const most = Math.min(...limits.map(({ partners }) => partners['kick-off']));
      const played: Row[] = [];
      for (const share of effort.smoke ? SHARES.slice(0, 1) : SHARES) {
        const partners = effort.smoke ? 100 : Math.round((share * most) / 100) * 100;
        played.push(await play(partners, world, app.address, effort));
      }
      return [
        costTable(costs),
        modelTable(limits, capacity, ledger),
        {
          title: `A match day played on this machine, ${most.toFixed(0)} partners being what the model gives it`,
          rows: played,
        },
      ];
    } finally {
      await app.stop();
      await world.close();
    }
  },
};

/** Processor time over many operations of a kind, which the load of other work does not change. */
async function costsOf(
  world: World,
  app: { address: string; pid: number },
  { smoke }: Effort,
): Promise<Costs> {
  const [{ pid }] = await world.prisma.$queryRaw<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`;
  const postmaster = await parentOf(pid);
  const times = async () => ({ app: await cpuTimeOf(app.pid), postgres: await cpuTimeOfFamily(postmaster) });
  const questions: Record<Operation, { question: () => Question; answer: string; asked: number }> = {
    signIn: { question: nextSignIn, answer: '"jwt":', asked: 400 },
    createToken: {
      question: () => questionOf('createToken', world.authorization),
      answer: '"streamUrl":',
      asked: 4_000,
    },
    session: {
      question: () => questionOf('session', world.authorization),
      answer: ACCOUNT.company,
      asked: 8_000,
    },
  };
  const costs: Partial<Costs> = {};
  for (const [operation, { question, answer, asked }] of Object.entries(questions)) {
    const load = {
      origin: app.address,
      connections: COSTED_AT_ONCE,
      question,
      check: expecting(answer, 'the app'),
      warmUpMs: 0,
      durationMs: 0,
    };
    if (!smoke) await drive({ ...load, answers: asked / 4 });
    const before = await times();
    const { answers } = await drive({ ...load, answers: smoke ? COSTED_AT_ONCE : asked });
    const after = await times();
    const each = (ms: number) => ms / answers;
    costs[operation as Operation] = {
      loopMs: each(after.app.mainMs - before.app.mainMs),
      hashMs: operation === 'signIn' ? each(after.app.othersMs - before.app.othersMs) : 0,
      postgresMs: each(after.postgres - before.postgres),
      roundTrips: ROUND_TRIPS[operation as Operation],
    };
  }
  const { signIn, createToken, session } = costs;
  if (!signIn || !createToken || !session) throw new Error('An operation was not measured');
  return { signIn, createToken, session };
}

async function roundTripMs({ prisma }: World): Promise<number> {
  const times: number[] = [];
  while (times.length < 100) {
    const startMs = performance.now();
    await prisma.$queryRaw`SELECT 1`;
    times.push(performance.now() - startMs);
  }
  return median(times);
}

/** With its part of the indexes. */
async function bytesOfToken({ prisma }: World): Promise<number> {
  const [{ bytes }] = await prisma.$queryRaw<[{ bytes: number }]>`
    SELECT pg_total_relation_size('token_records')::float / greatest(count(*), 1) AS bytes FROM token_records`;
  return bytes;
}

/**
 * A few seconds of each phase with so many partners, who come when they come (as in a Poisson process) and not when the
 * server is ready for them. At kick-off each signs in, looks at its session and makes a token, one after the other.
 */
async function play(partners: number, world: World, origin: string, { smoke }: Effort): Promise<Row> {
  const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 });
  const timesMs: Record<Phase, Record<Operation, number[]>> = {
    'kick-off': { signIn: [], createToken: [], session: [] },
    match: { signIn: [], createToken: [], session: [] },
  };
  let asked = 0;
  let refused = 0;

  async function ask(phase: Phase, operation: Operation, question: Question): Promise<string | null> {
    const startMs = performance.now();
    asked += 1;
    try {
      const { body } = await pool.request(question);
      const answer = await body.text();
      if (!answer.includes('"errors"')) {
        timesMs[phase][operation].push(performance.now() - startMs);
        return answer;
      }
    } catch {
      // As good as refused.
    }
    refused += 1;
    return null;
  }

  async function arrive(): Promise<void> {
    const answer = await ask('kick-off', 'signIn', nextSignIn());
    const jwt = /"jwt":"([^"]+)"/.exec(answer ?? '')?.[1];
    if (jwt === undefined) return;
    const authorization = { authorization: `Bearer ${jwt}` };
    await ask('kick-off', 'session', questionOf('session', authorization));
    await ask('kick-off', 'createToken', questionOf('createToken', authorization));
  }

  try {
    await comeAndGo(partners * PHASES['kick-off'].signIn, smoke ? 500 : 12_000, arrive);
    await Promise.all(
      (['createToken', 'session'] as const).map((operation) =>
        comeAndGo(partners * PHASES.match[operation], smoke ? 500 : 6_000, () =>
          ask('match', operation, questionOf(operation, world.authorization)),
        ),
      ),
    );
  } finally {
    await pool.destroy();
  }
  const p99 = (phase: Phase, operation: Operation) => ({
    unit: 'ms',
    values: [quantile(timesMs[phase][operation], 0.99)],
  });
  return {
    name: `${partners} partners`,
    figures: {
      'sign-in, p50': { unit: 'ms', values: [quantile(timesMs['kick-off'].signIn, 0.5)] },
      'sign-in, p99': p99('kick-off', 'signIn'),
      'token at kick-off, p99': p99('kick-off', 'createToken'),
      'token in the match, p99': p99('match', 'createToken'),
      'session in the match, p99': p99('match', 'session'),
      'not served': { unit: '%', values: [(100 * refused) / asked] },
    },
  };
}

/** So many a second on average, each whenever it happens; resolves when the last is done. */
async function comeAndGo(perSecond: number, durationMs: number, act: () => Promise<unknown>): Promise<void> {
  const underWay: Promise<unknown>[] = [];
  const startMs = performance.now();
  for (let atMs = 0; atMs < durationMs; atMs += (-Math.log(1 - Math.random()) / perSecond) * 1_000) {
    const earlyMs = startMs + atMs - performance.now();
    if (earlyMs > 0) await delay(earlyMs);
    underWay.push(act());
  }
  await Promise.all(underWay);
}

let signIns = 0;

function nextSignIn(): Question {
  signIns += 1;
  const variables = { username: usernameOf(signIns % ACCOUNTS), password: ACCOUNT.password };
  return graphqlQuestion({ query: LOGIN, variables }, fromAddressOfItsOwn());
}

function questionOf(operation: keyof typeof OPERATIONS, authorization: Record<string, string>): Question {
  return graphqlQuestion(OPERATIONS[operation], authorization);
}

function usernameOf(index: number): string {
  return `radio-${index}@scale.example`;
}

function costTable(costs: Costs): Table {
  const names: Record<Operation, string> = { signIn: 'sign-in', createToken: 'token', session: 'session' };
  const figure = (value: number) => ({ unit: 'ms', values: [value] });
  return {
    title: `Processor time of an operation, ${COSTED_AT_ONCE} at a time`,
    rows: (Object.entries(costs) as Array<[Operation, Cost]>).map(([operation, cost]) => ({
      name: names[operation],
      figures: {
        'event loop': figure(cost.loopMs),
        hashing: figure(cost.hashMs),
        PostgreSQL: figure(cost.postgresMs),
      },
    })),
  };
}

function modelTable(limits: Limit[], { providerMs, roundTripMs }: Capacity, tokenBytes: number): Table {
  const figure = (value: number) => ({ unit: '', values: [value] });
  return {
    title:
      `The model: partners at whom a part is 70 % busy (a provider of ${providerMs} ms, ` +
      `${roundTripMs.toFixed(1)} ms a question to PostgreSQL; the ledger grows by ` +
      `${Math.round(ledgerBytesAYear(tokenBytes) / 1_000)} kB a partner and year)`,
    rows: limits.map(({ part, partners }) => ({
      name: part,
      figures: {
        'at kick-off': figure(partners['kick-off']),
        ...(Number.isFinite(partners.match) && { 'in the match': figure(partners.match) }),
      },
    })),
  };
}

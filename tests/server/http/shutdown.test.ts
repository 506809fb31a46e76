import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Client } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildUnlessFresh } from '../../support/build.ts';
import { freePort } from '../../support/freePort.ts';
import { type ProviderPace, startProduction } from '../../support/production.ts';
import { BUILT, stopServer } from '../../support/serverProcess.ts';
import { CREATE_TOKEN, LOGIN, SESSION } from '../../support/testApp.ts';

const TOOLS = 24;

const pace: ProviderPace = { answerMs: 0 };
const leaving: (() => unknown)[] = [];
let production: Awaited<ReturnType<typeof startProduction>>;
let port: number;

beforeAll(async () => {
  await buildUnlessFresh();
  production = await startProduction(pace);
});
beforeEach(async () => {
  port = await freePort();
});
afterEach(async () => {
  for (const leave of leaving.splice(0)) await leave();
});
afterAll(() => production?.close());

/** A module that makes `localhost` both addresses, as on most machines. */
const LOCALHOST_IS_BOTH = `data:text/javascript,${encodeURIComponent(`
  import dns from 'node:dns';
  import { syncBuiltinESMExports } from 'node:module';
  const both = [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }];
  const { lookup } = dns;
  dns.lookup = (name, ...rest) => {
    if (name !== 'localhost') return lookup(name, ...rest);
    const [done, { all } = {}] = rest.reverse();
    process.nextTick(() => all ? done(null, both) : done(null, both[0].address, both[0].family));
  };
  dns.promises.lookup = (name, options = {}) =>
    new Promise((resolve, reject) =>
      dns.lookup(name, options, (error, address) => error ? reject(error) : resolve(address)));
  syncBuiltinESMExports();
`)}`;

/** A module that makes time limits of the database ten minutes long, since a busy machine may exceed them. */
const PATIENT_WITH_DATABASE = `data:text/javascript,${encodeURIComponent(`
  const { setTimeout } = globalThis;
  const isLimit = (ms) => ms === 1_200 || ms === 1_300;
  globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, isLimit(ms) ? 600_000 : ms, ...rest);
  Object.setPrototypeOf(globalThis.setTimeout, setTimeout);
`)}`;

/** A tool that keeps its one connection. */
function openTool(host = '127.0.0.1'): Client {
  const tool = new Client(`http://${host}:${port}`);
  leaving.push(() => tool.destroy());
  return tool;
}

async function graphql(tool: Client, query: string) {
  const response = await tool.request(production.requestOf(query));
  const { connection } = response.headers;
  return { status: response.statusCode, connection, text: await response.body.text() };
}

/** Opens a connection and sends the beginning of a request. */
async function open(beginning: string, host = '127.0.0.1'): Promise<Socket> {
  const socket = connect(port, host);
  leaving.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.on('error', () => {}).resume();
  socket.write(beginning);
  return socket;
}

/** Resolves when the server accepts no connection any more. */
async function refusal(host?: string): Promise<void> {
  await expect
    .poll(() =>
      open('', host).then(
        (socket) => {
          socket.destroy();
          return 'accepted';
        },
        (error: NodeJS.ErrnoException) => error.code,
      ),
    )
    .toBe('ECONNREFUSED');
}

test('SIGTERM under load: whatever was accepted is answered, and the process ends with 0', async () => {
  pace.answerMs = 100;
  const program = ['--import', PATIENT_WITH_DATABASE, ...BUILT];
  const server = await production.startInstance(port, { program });
  const failures: unknown[] = [];
  const lastAnswers: unknown[] = [];
  let answers = 0;

  /** Repeats the queries until connections are refused. */
  async function work(tool: Client, queries: string[]): Promise<void> {
    let connection: unknown;
    for (let turn = 0; ; turn += 1) {
      try {
        const answer = await graphql(tool, queries[turn % queries.length] ?? '');
        connection = answer.connection;
        answers += 1;
        if (answer.status !== 200 || answer.text.includes('"errors"')) failures.push(answer);
      } catch (error) {
        lastAnswers.push(connection);
        if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') failures.push(error);
        return;
      }
    }
  }

  const working = Promise.all([
    work(openTool(), [LOGIN, SESSION, CREATE_TOKEN, SESSION]),
    ...Array.from({ length: TOOLS - 1 }, () => work(openTool(), [CREATE_TOKEN, SESSION])),
  ]);
  await expect.poll(() => answers).toBeGreaterThan(TOOLS * 4);
  const answersBefore = answers;
  expect(await stopServer(server, 'SIGTERM')).toBe(0);
  await working;
  expect(failures).toEqual([]);
  expect(lastAnswers).toEqual(Array(TOOLS).fill('close'));
  expect(answers - answersBefore).toBeGreaterThanOrEqual(TOOLS);
});

test('after SIGTERM nobody new comes in, and all who were in are answered and told to go', async () => {
  pace.answerMs = 3_000;
  const server = await production.startInstance(port);
  const [tool, idleTool, prober] = [openTool(), openTool(), openTool()];
  for (const each of [tool, idleTool, prober]) await graphql(each, SESSION);
  const requestsBefore = production.requestsToProvider;
  const underWay = graphql(tool, CREATE_TOKEN);
  await expect.poll(() => production.requestsToProvider).toBeGreaterThan(requestsBefore);

  const stopped = stopServer(server, 'SIGTERM');
  await refusal();
  const late = graphql(idleTool, CREATE_TOKEN);
  const probe = await prober.request({ path: '/readyz', method: 'GET' });
  expect(probe.statusCode).toBe(503);
  expect(await probe.body.json()).toEqual({ status: 'stopping' });
  for (const answer of [await underWay, await late]) {
    expect(answer).toMatchObject({ status: 200, connection: 'close' });
    expect(answer.text).toContain('"lifetimeSeconds":1200');
  }
  expect(await stopped).toBe(0);
});

test('as localhost it is at both addresses, and whoever came by IPv6 is answered after SIGTERM as well', async () => {
  pace.answerMs = 2_000;
  const program = ['--import', LOCALHOST_IS_BOTH, ...BUILT];
  const server = await production.startInstance(port, { program, env: { HOST: 'localhost' } });
  const [tool, idleTool] = [openTool('[::1]'), openTool('[::1]')];
  for (const each of [tool, idleTool, openTool()]) await graphql(each, SESSION);
  const requestsBefore = production.requestsToProvider;
  const underWay = graphql(tool, CREATE_TOKEN);
  await expect.poll(() => production.requestsToProvider).toBeGreaterThan(requestsBefore);

  const stopped = stopServer(server, 'SIGTERM');
  await refusal('::1');
  const late = graphql(idleTool, SESSION);
  for (const answer of [await underWay, await late]) {
    expect(answer).toMatchObject({ status: 200, connection: 'close' });
    expect(answer.text).not.toContain('"errors"');
  }
  expect(await stopped).toBe(0);
});

test('whatever hangs is cut off, so that it ends with 0', async () => {
  pace.answerMs = null;
  const server = await production.startInstance(port);
  const [tool, idleTool] = [openTool(), openTool()];
  await graphql(idleTool, SESSION);
  await open('');
  const dripping = await open(
    'POST /graphql HTTP/1.1\r\nHost: audio\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{',
  );
  const drip = setInterval(() => dripping.write(' '), 100);
  leaving.push(() => clearInterval(drip));
  const hanging = graphql(tool, CREATE_TOKEN);

  expect(await stopServer(server, 'SIGTERM')).toBe(0);
  expect((await hanging).text).toContain('PROVIDER_UNAVAILABLE');
  expect(server.output).toContain('cut off');
});

test('SIGINT does not wait for those who have nothing to say', async () => {
  const ended: string[] = [];
  const stops: (() => Promise<unknown>)[] = [];
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    port = await freePort();
    const server = await production.startInstance(port);
    await graphql(openTool(), SESSION);
    await open('');
    stops.push(() => stopServer(server, signal).then((exitCode) => ended.push(`${signal}: ${exitCode}`)));
  }
  await Promise.all(stops.map((stop) => stop()));
  expect(ended).toEqual(['SIGINT: 0', 'SIGTERM: 0']);
});

test('the log says once each that it listens, is asked, is asked to stop, and has stopped', async () => {
  const server = await production.startInstance(port);
  const tool = openTool();
  await graphql(tool, SESSION);
  await tool.close();
  expect(await stopServer(server, 'SIGTERM')).toBe(0);
  await expect.poll(() => server.output).toContain('stopped');
  const lines = server.output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { level: 'info', msg: 'listening', address: `http://127.0.0.1:${port}` },
    { level: 'info', msg: 'request', fields: ['session'] },
    { level: 'info', msg: 'stopping', signal: 'SIGTERM' },
    { level: 'info', msg: 'stopped', exitCode: 0 },
  ]);
});

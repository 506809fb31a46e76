import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Client } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildUnlessFresh } from '../../support/build.ts';
import { freePort } from '../../support/freePort.ts';
import { type ProviderPace, startProduction } from '../../support/production.ts';
import { stopServer } from '../../support/serverProcess.ts';
import { CREATE_TOKEN, SESSION } from '../../support/testApp.ts';

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

/** A tool that keeps its one connection. */
function openTool(): Client {
  const tool = new Client(`http://127.0.0.1:${port}`);
  leaving.push(() => tool.destroy());
  return tool;
}

async function graphql(tool: Client, query: string) {
  const response = await tool.request(production.requestOf(query));
  const { connection } = response.headers;
  return { status: response.statusCode, connection, text: await response.body.text() };
}

/** Opens a connection and sends the beginning of a request. */
async function open(beginning: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  leaving.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.on('error', () => {}).resume();
  socket.write(beginning);
  return socket;
}

/** Resolves when the server accepts no connection any more. */
async function refusal(): Promise<void> {
  await expect
    .poll(() =>
      open('').then(
        (socket) => {
          socket.destroy();
          return 'accepted';
        },
        (error: NodeJS.ErrnoException) => error.code,
      ),
    )
    .toBe('ECONNREFUSED');
}

test('after SIGTERM open connections are answered and new ones refused', async () => {
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

test('a request that hangs is cut off, and the process ends with 0', async () => {
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

test('SIGINT closes idle connections at once', async () => {
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

test('the log has one line each for listening, a request, stopping and stopped', async () => {
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

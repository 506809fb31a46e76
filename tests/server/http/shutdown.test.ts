import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Client } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../support/freePort.ts';
import { type ProviderPace, startProduction } from '../../support/production.ts';
import { sendRaw } from '../../support/rawHttp.ts';
import { stopServer } from '../../support/serverProcess.ts';
import { CREATE_TOKEN, SESSION } from '../../support/testApp.ts';

const pace: ProviderPace = { answerMs: 0 };
const leaving: (() => unknown)[] = [];
let production: Awaited<ReturnType<typeof startProduction>>;
let port: number;

beforeAll(async () => {
  production = await startProduction(pace);
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
  const { socket } = await sendRaw(`http://127.0.0.1:${port}`, beginning);
  leaving.push(() => socket.destroy());
  return socket;
}

/** Resolves when the server accepts no connection any more. */
async function refusal(): Promise<void> {
  const attempt = () => open('').then((socket) => socket.destroy());
  const refused = () => expect(attempt()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await vi.waitFor(refused, { timeout: 120_000 });
}

describe('after SIGTERM', () => {
  let answers: Awaited<ReturnType<typeof graphql>>[];
  let probe: unknown[];
  let metrics: string;
  let exitCode: number | null;
  let lines: string[];

  beforeAll(async () => {
    pace.answerMs = 3_000;
    port = await freePort();
    const metricsPort = await freePort();
    const server = await production.startInstance(port, {
      METRICS_PORT: String(metricsPort),
      TRUST_PROXY: '0',
    });
    const [tool, idleTool, prober] = [openTool(), openTool(), openTool()];
    for (const each of [tool, idleTool, prober]) await graphql(each, SESSION);
    const underWay = graphql(tool, CREATE_TOKEN);
    await vi.waitFor(() => expect(production.requestsToProvider).toBe(1), { timeout: 120_000 });

    const closed = once(server, 'close');
    const stopped = stopServer(server, 'SIGTERM');
    await refusal();
    const late = graphql(idleTool, CREATE_TOKEN);
    const { statusCode, body } = await prober.request({ path: '/readyz', method: 'GET' });
    probe = [statusCode, await body.json()];
    metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    answers = await Promise.all([underWay, late]);
    exitCode = await stopped;
    await closed;
    lines = server.output.trim().split('\n');
  });

  test('requests over open connections are answered', () => {
    const lastOne = { status: 200, connection: 'close', text: expect.stringContaining('streamUrl') };
    expect(answers).toEqual([lastOne, lastOne]);
    expect(exitCode).toBe(0);
  });

  test('a probe is told that the server stops', () => {
    expect(probe).toEqual([503, { status: 'stopping' }]);
  });

  test('metrics are served until everything else is closed', () => {
    expect(metrics).toContain('audio_database_up 1');
  });

  test('the log says when the process stopped', () => {
    expect(lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg !== 'request')).toMatchObject([
      { level: 'info', msg: 'listening', address: `http://127.0.0.1:${port}` },
      { level: 'info', msg: 'stopping', signal: 'SIGTERM' },
      { level: 'info', msg: 'stopped', exitCode: 0 },
    ]);
  });
});

test('a hanging request is cut off before the process ends', async () => {
  pace.answerMs = null;
  port = await freePort();
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

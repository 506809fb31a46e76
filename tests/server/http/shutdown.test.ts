import { once } from 'node:events';
import { Client } from 'undici';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../support/freePort.ts';
import { startProduction } from '../../support/production.ts';
import { sendRaw } from '../../support/rawHttp.ts';
import { stopServer } from '../../support/serverProcess.ts';
import { CREATE_TOKEN, SESSION } from '../../support/testApp.ts';

let production: Awaited<ReturnType<typeof startProduction>>;
let provide = () => {};
const tools: Client[] = [];

beforeAll(async () => {
  const provided = new Promise<void>((resolve) => {
    provide = resolve;
  });
  production = await startProduction(() => provided);
});
afterAll(async () => {
  for (const tool of tools) await tool.destroy();
  await production?.close();
});

function openTool(port: number): Client {
  const tool = new Client(`http://127.0.0.1:${port}`);
  tools.push(tool);
  return tool;
}

async function graphql(tool: Client, query: string) {
  const response = await tool.request(production.requestOf(query));
  const { connection } = response.headers;
  return { status: response.statusCode, connection, text: await response.body.text() };
}

async function refusal(port: number): Promise<void> {
  const attempt = () => sendRaw(`http://127.0.0.1:${port}`, '').then(({ socket }) => socket.destroy());
  const refused = () => expect(attempt()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await vi.waitFor(refused, { timeout: 120_000 });
}

describe('after SIGTERM', () => {
  let answers: Awaited<ReturnType<typeof graphql>>[];
  let probe: unknown[];
  let metrics: string;
  let exitCode: number | null;
  let port: number;
  let lines: string[];

  beforeAll(async () => {
    port = await freePort();
    const metricsPort = await freePort();
    const server = await production.startInstance(port, {
      METRICS_PORT: String(metricsPort),
      TRUST_PROXY: '0',
    });
    const [tool, idleTool, prober] = [openTool(port), openTool(port), openTool(port)];
    for (const each of [tool, idleTool, prober]) await graphql(each, SESSION);
    const underWay = graphql(tool, CREATE_TOKEN);
    await vi.waitFor(() => expect(production.requestsToProvider).toBe(1), { timeout: 120_000 });

    const closed = once(server, 'close');
    const stopped = stopServer(server, 'SIGTERM');
    await refusal(port);
    const late = graphql(idleTool, CREATE_TOKEN);
    const { statusCode, body } = await prober.request({ path: '/readyz', method: 'GET' });
    probe = [statusCode, await body.json()];
    metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    provide();
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
    const logged = lines.map((line) => JSON.parse(line));
    // Warnings are of the provider's stand-in, which gives one token again and again.
    expect(logged.filter(({ msg, level }) => msg !== 'request' && level === 'info')).toMatchObject([
      { level: 'info', msg: 'listening', address: `http://127.0.0.1:${port}` },
      { level: 'info', msg: 'stopping', signal: 'SIGTERM' },
      { level: 'info', msg: 'stopped', exitCode: 0 },
    ]);
  });
});

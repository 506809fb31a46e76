import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNT, startTestApp, type TestApp } from '../../support/testApp.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ requestTimeoutMs: 2_000 });
  await app.addAccount(ACCOUNT);
});
afterAll(() => app.close());

const BEGINNINGS = [
  '',
  'POST /graphql HTTP/1.1\r\nHost: audio\r\nContent-Ty',
  'POST /graphql HTTP/1.1\r\nHost: audio\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"query": ',
];

async function stall(beginning: string): Promise<Socket> {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => {}).resume();
  socket.write(beginning);
  return socket;
}

test('300 stalled connections keep nobody else waiting, and are closed', async () => {
  const stalled = await Promise.all(
    Array.from({ length: 300 }, (_, index) => stall(BEGINNINGS[index % BEGINNINGS.length] ?? '')),
  );
  const closed = stalled.map((socket) => once(socket, 'close'));
  expect((await app.login()).data?.login).toMatchObject({ company: 'Radio Uno' });
  await Promise.all(closed);
  expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
});

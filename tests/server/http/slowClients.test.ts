import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { sendRaw } from '../../support/rawHttp.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { provideTestApp, startTestApp } from '../../support/testApp.ts';

const STALLED_MS = 1_000;
/** More than the system's buffers hold. */
const FILE_BYTES = 30_000_000;
const READ_EVERY_MS = 20;

const app = provideTestApp({
  databaseUrl: 'postgresql://nobody@127.0.0.1:9/none',
  requestTimeoutMs: 500,
});

test.each([
  ['nothing', ''],
  ['half a head', 'POST /graphql HTTP/1.1\r\nHost: audio\r\nContent-Ty'],
  [
    'half a body',
    'POST /graphql HTTP/1.1\r\nHost: audio\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"query": ',
  ],
])('a connection that sent %s in time is closed', async (_what, beginning) => {
  await (await sendRaw(app.url, beginning)).answer;
});

/** Asks a server for a large file; `answered` resolves with the status, which is null if the connection was closed before. */
async function askForFile() {
  const answers = new EventEmitter();
  const { url, close } = await startTestApp({
    databaseUrl: 'postgresql://nobody@127.0.0.1:9/none',
    stalledTimeoutMs: STALLED_MS,
    clientFolder: temporaryFolder({ 'index.html': '', 'assets/large.js': Buffer.alloc(FILE_BYTES) }),
    observer: { onAnswer: ({ status }) => answers.emit('answer', status), onOperation() {}, onOpening() {} },
  });
  onTestFinished(close);
  const answered = once(answers, 'answer');
  const request = 'GET /assets/large.js HTTP/1.1\r\nHost: audio\r\nConnection: close\r\n\r\n';
  return { ...(await sendRaw(url, request)), answered };
}

test('a connection whose answer is not read is closed', async () => {
  const { socket, answered } = await askForFile();
  socket.pause();
  expect(await answered).toEqual([null]);
  socket.destroy();
});

test('a slow connection that reads on gets its whole answer', async () => {
  const slowUntilMs = performance.now() + 3 * STALLED_MS;
  const { socket, answer } = await askForFile();
  socket.on('data', async () => {
    if (performance.now() > slowUntilMs) return;
    socket.pause();
    await delay(READ_EVERY_MS);
    socket.resume();
  });
  const text = await answer;
  expect(text.length).toBeGreaterThan(FILE_BYTES);
  expect(performance.now()).toBeGreaterThan(slowUntilMs);
});

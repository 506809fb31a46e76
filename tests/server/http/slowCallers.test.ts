import { EventEmitter, once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { sendRaw } from '../../support/rawHttp.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { provideTestApp, startTestApp } from '../../support/testApp.ts';

const NO_DATABASE = 'postgresql://nobody@127.0.0.1:9/none';
/** More than the system's buffers hold. */
const FILE_BYTES = 30_000_000;

const app = provideTestApp({ databaseUrl: NO_DATABASE, requestTimeoutMs: 500 });

const HEAD = 'POST /graphql HTTP/1.1\r\nHost: audio\r\nContent-Type: application/json\r\nContent-Length: 900';
test.each([
  ['nothing', ''],
  ['half a head', HEAD],
  ['half a body', `${HEAD}\r\n\r\n{"query": `],
])('a connection that sent %s in time is closed', async (_what, beginning) => {
  await (await sendRaw(app.url, beginning)).answer;
});

test('a connection whose answer is not read is closed', async () => {
  const answers = new EventEmitter();
  const { url, close } = await startTestApp({
    databaseUrl: NO_DATABASE,
    stalledTimeoutMs: 1_000,
    clientFolder: temporaryFolder({ 'index.html': '', 'assets/large.js': Buffer.alloc(FILE_BYTES) }),
    observer: { onAnswer: ({ status }) => answers.emit('answer', status), onOperation() {}, onOpening() {} },
  });
  onTestFinished(close);
  const answered = once(answers, 'answer');
  const { socket } = await sendRaw(url, 'GET /assets/large.js HTTP/1.1\r\nHost: audio\r\n\r\n');
  socket.pause();
  expect(await answered).toEqual([null]);
  socket.destroy();
});

import { test } from 'vitest';
import { sendRaw } from '../../support/rawHttp.ts';
import { provideTestApp } from '../../support/testApp.ts';

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

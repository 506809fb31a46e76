import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { answerOf, askStream } from '../../../../../client/dashboard/player/connection/askStream.ts';

test.each([
  [401, 'refused'],
  [403, 'refused'],
  [410, 'refused'],
  [404, 'fault'],
  [429, 'fault'],
  [503, 'fault'],
  [200, 'notAudio'],
  [0, 'unreadable'],
  [null, 'none'],
])('the status %s (0 if unreadable) is the answer %s', (status, answer) => {
  expect(answerOf(status)).toBe(answer);
});

test('the status is read without waiting for the end of the stream', async () => {
  const server = createServer((_, response) => response.writeHead(403).write('endless'));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  expect(await askStream(`http://127.0.0.1:${port}/live`)).toBe('refused');
});

test('an unreachable provider gives no answer', async () => {
  expect(await askStream('http://127.0.0.1:1/live')).toBe('none');
});

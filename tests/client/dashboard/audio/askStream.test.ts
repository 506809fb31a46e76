import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { answerOf, askStream } from '../../../../client/dashboard/audio/askStream.ts';

test.each([
  [401, 'text/html', 'refused'],
  [403, null, 'refused'],
  [410, null, 'refused'],
  [404, null, 'fault'],
  [429, null, 'fault'],
  [503, 'audio/mpeg', 'fault'],
  [200, 'audio/mpeg', 'audio'],
  [200, 'Audio/AACP', 'audio'],
  [200, 'application/ogg', 'audio'],
  [200, 'text/html', 'notAudio'],
  [200, null, 'notAudio'],
  [0, null, 'unreadable'],
])('the status %s (0 if unreadable) with the type %s is the answer %s', (status, contentType, answer) => {
  expect(answerOf({ status, contentType })).toBe(answer);
});

test('no status is no answer', () => {
  expect(answerOf(null)).toBe('none');
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

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { askStream, refusalOf } from '../../../../../client/dashboard/player/connection/askStream.ts';

test.each([
  [400, 'certain'],
  [404, 'certain'],
  [200, 'none'],
  [408, 'none'],
  [429, 'none'],
  [500, 'none'],
  [0, 'likely'],
  [null, 'none'],
])('the status %s (0 if unreadable) is the refusal %s', (status, refusal) => {
  expect(refusalOf(status)).toBe(refusal);
});

test('the status is read without waiting for the end of the stream', async () => {
  const server = createServer((_, response) => response.writeHead(403).write('endless'));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  expect(await askStream(`http://127.0.0.1:${port}/live`)).toBe('certain');
});

test('an unreachable provider refuses nothing', async () => {
  expect(await askStream('http://127.0.0.1:1/live')).toBe('none');
});

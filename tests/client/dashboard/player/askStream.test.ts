import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { askStream, refusalOf } from '../../../../client/dashboard/player/askStream.ts';

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

async function streamThatAnswers(status: number): Promise<string> {
  server = createServer((_, response) => {
    response.writeHead(status).write('endless');
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/live?sign=abc==`;
}

test.each([400, 401, 403, 404, 410])('the status %i is a certain refusal', (status) => {
  expect(refusalOf(status)).toBe('certain');
});

test.each([200, 408, 429, 500, 502, 503])(
  'the status %i is no refusal, since the next answer may differ',
  (status) => {
    expect(refusalOf(status)).toBe('none');
  },
);

test('an answer that the page cannot read is a likely refusal, and a missing answer is no refusal', () => {
  expect(refusalOf(0)).toBe('likely');
  expect(refusalOf(null)).toBe('none');
});

test('the status of an answer is read without waiting for the end of the stream', async () => {
  expect(await askStream(await streamThatAnswers(403))).toBe('certain');
});

test('an unreachable provider counts as no refusal', async () => {
  const address = await streamThatAnswers(403);
  await new Promise((resolve) => {
    server?.close(resolve);
    server?.closeAllConnections();
  });
  expect(await askStream(address)).toBe('none');
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { drain } from '../../../server/http/drain.ts';

test('connections that wait to be accepted are answered', async () => {
  const server = createServer((_request, response) =>
    response.setHeader('connection', 'close').end('answer'),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const answers = Array.from({ length: 5 }, () =>
    text(connect(port, '127.0.0.1').end('GET / HTTP/1.1\r\nhost: test\r\n\r\n')),
  );
  // By now the system holds the connections, and Node has had no time to accept one.
  await new Promise(process.nextTick);
  expect(await drain(server, 5_000)).toBe(true);
  for (const answer of answers) expect(await answer).toContain('answer');
});

test('a connection that has sent no request delays nothing', async () => {
  const server = createServer({ connectionsCheckingInterval: 50 });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(server, 'connection');
  expect(await drain(server, 0)).toBe(true);
});

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { BUILT, launchServer, stopServer } from '../support/serverProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ACCOUNT, CREATE_TOKEN, STREAM_BASE_URL, startTestApp } from '../support/testApp.ts';
import { createTestDatabase } from '../support/testDatabase.ts';

vi.setConfig({ testTimeout: 120_000 });

const JWT_SECRET = 'a secret of at least thirty-two bytes';
const CALL = `const response = await fetch('http://127.0.0.1:4000/graphql', {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.argv[1] },
  body: JSON.stringify({ query: process.argv[2] }),
});
console.log(await response.text());`;

let databaseUrl: URL;
let key: string;

beforeAll(async () => {
  if (process.getuid?.() !== 0) throw new Error('A network of its own needs root');
  if (!existsSync('/dev/net/tun')) throw new Error('A slow network needs /dev/net/tun: run `modprobe tun`');
  const database = await createTestDatabase();
  databaseUrl = new URL(database.url);
  const app = await startTestApp({ databaseUrl: database.url });
  await app.addAccount(ACCOUNT);
  key = await app.addKey();
  await app.close();
  return database.drop;
});

test.each(['ipv4first', 'ipv6first'])(
  'an instance serves where IPv4 takes 300 ms and IPv6 leads nowhere, %s',
  async (order) => {
    const folder = temporaryFolder();
    const sockets = { database: path.join(folder, 'database'), provider: path.join(folder, 'provider') };
    const database = createServer((near) => {
      const far = connect(Number(databaseUrl.port), databaseUrl.hostname);
      for (const end of [near, far]) end.on('error', () => {});
      near.pipe(far).pipe(near);
    });
    const provider = createHttpServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<a href="${STREAM_BASE_URL}dG9rZW4=">Escuchar</a>`);
    });
    await once(database.listen(sockets.database), 'listening');
    await once(provider.listen(sockets.provider), 'listening');
    onTestFinished(() => void [database.close(), provider.close()]);
    const network = [path.join(import.meta.dirname, 'slowNetwork.py'), folder];
    const ports = [`5432=${sockets.database}`, `8080=${sockets.provider}`];
    const instance = launchServer(
      // `--pid --kill-child`, or the server would outlive the program that is stopped.
      [
        ...['--net', '--mount', '--pid', '--kill-child', '--'],
        ...['python3', ...network, ...ports, '--', process.execPath, ...BUILT],
      ],
      {
        NODE_ENV: 'production',
        NODE_OPTIONS: `--dns-result-order=${order}`,
        DATABASE_URL: Object.assign(new URL(databaseUrl), { host: 'slow:5432' }).href,
        JWT_SECRET,
        PROVIDER_TOKEN_URL: 'http://slow:8080/audio',
        STREAM_BASE_URL,
      },
      { program: 'unshare' },
    );
    onTestFinished(async () => void (await stopServer(instance, 'SIGKILL')));
    await expect.poll(() => instance.output, { timeout: 50_000 }).toMatch(/"listening"|error/);
    const inside = ['--target', String(instance.pid), '--net', process.execPath, '--input-type=module'];
    const ask = () =>
      promisify(execFile)('nsenter', [...inside, '-e', CALL, key, CREATE_TOKEN], { cwd: PROJECT_ROOT });
    // Three quarters of the time to connect pass on the network alone, so that a busy machine may need more than one try.
    await expect.poll(async () => (await ask()).stdout, { timeout: 50_000 }).toContain('"token":"dG9rZW4="');
  },
);

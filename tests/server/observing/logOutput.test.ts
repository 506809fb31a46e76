import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildUnlessFresh } from '../../support/build.ts';
import { freePort } from '../../support/freePort.ts';
import { startMediaProvider } from '../../support/production.ts';
import { BUILT, becomesReady, launchServer, stopServer } from '../../support/serverProcess.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { SESSION } from '../../support/testApp.ts';
import { createTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';

/** More requests than lines fit into a pipe of 64 KiB. */
const FILLING = 400;

let database: TestDatabase;
let provider: Awaited<ReturnType<typeof startMediaProvider>>;

beforeAll(buildUnlessFresh);
beforeAll(async () => {
  database = await createTestDatabase();
  provider = await startMediaProvider({ answerMs: 0 });
});
afterAll(async () => {
  provider.close();
  await database.drop();
});

/** Starts an instance in production, ready, with its log going to the file descriptor `stdout`. */
async function startInstance(stdout: number) {
  const port = await freePort();
  const env = {
    NODE_ENV: 'production',
    PORT: String(port),
    DATABASE_URL: database.url,
    JWT_SECRET: 'a secret that signs sessions, long enough',
    ...provider.env,
  };
  const server = launchServer(BUILT, env, { stdout });
  closeSync(stdout);
  onTestFinished(async () => void (await stopServer(server, 'SIGKILL')));
  await becomesReady(server, port);
  return {
    server,
    async serves(requests = 1): Promise<void> {
      for (let request = 1; request <= requests; request += 1) {
        const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', connection: 'close' },
          body: JSON.stringify({ query: SESSION }),
        });
        expect(await response.json()).toEqual({ data: { session: null } });
      }
    },
  };
}

/** A named pipe: opening it to write needs a reader, and writing fails once there is none. */
function namedPipe(): { file: string; reader: number; writer: number } {
  const file = path.join(temporaryFolder(), 'log');
  execFileSync('mkfifo', [file]);
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  return { file, reader, writer: openSync(file, 'w') };
}

test('an instance whose standard output is a full disk serves, and ends by SIGTERM', async () => {
  const { server, serves } = await startInstance(openSync('/dev/full', 'w'));
  await serves();
  expect(await stopServer(server, 'SIGTERM')).toBe(0);
  expect(server.output).toBe('');
});

test('an instance whose log was closed serves, and loses no line once it can be written again', async () => {
  const { file, reader, writer } = namedPipe();
  const { server, serves } = await startInstance(writer);
  closeSync(reader);
  await serves(FILLING);
  const reading = spawn('cat', [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const log = text(reading.stdout);
  await once(reading.stdout, 'data');
  expect(await stopServer(server, 'SIGTERM')).toBe(0);
  const lines = (await log)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(FILLING);
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([
    {
      level: 'warn',
      time: expect.any(String),
      reason: 'EPIPE',
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      dropped: 0,
      msg: 'the log could not be written',
    },
  ]);
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'stopped', exitCode: 0 }));
});

test('an instance whose log nobody reads serves, and ends by SIGTERM within 10 s', async () => {
  const { reader, writer } = namedPipe();
  onTestFinished(() => closeSync(reader));
  const { server, serves } = await startInstance(writer);
  await serves(FILLING);
  await stopServer(server, 'SIGTERM');
  expect(server.signalCode).toBe('SIGKILL');
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { createServer, isIPv6 } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { loadDotEnv, readConfig } from '../server/config/config.ts';
import { OperatorError } from '../server/errors.ts';
import { withBuildLock } from './buildLock.ts';
import { generateGraphqlTypes, generatePrismaClient } from './generatedCode.ts';
import { inParallel, ROOT, reportFailure, toolCommand } from './steps.ts';

/** What generated code is made from: a change makes it anew, which in turn reloads client and server. */
const SOURCES_OF_GENERATED_CODE = ['schema.graphql', 'client/api/operations.graphql', 'prisma/schema.prisma'];
const API_HOST = '127.0.0.1';
const SETTLING_MS = 100;

const running = new Set<ChildProcess>();
let stopping = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
try {
  loadDotEnv();
  await start(readConfig(process.env));
} catch (error) {
  if (error instanceof OperatorError) console.error(error.message);
  else reportFailure(error);
  await stop(1);
}

/** Vite's server where the product would listen, the API behind it on a port of its own; both reload by themselves. */
async function start({ host, port }: { host: string; port: number }): Promise<void> {
  await generate();
  if (stopping) return;
  regenerateOnChange();
  const apiOrigin = `http://${API_HOST}:${await freePort()}`;
  run('vite', ['--host', host, '--port', String(port), '--strictPort', '--clearScreen', 'false'], {
    NODE_ENV: 'development',
    API_ORIGIN: apiOrigin,
  });
  // What it says of itself is true of the page, which leads to all of it; at its own address is the page as it was last built.
  const pageOrigin = `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  run(
    'tsx',
    ['watch', '--clear-screen=false', '--include', 'schema.graphql', 'server/main.ts'],
    { NODE_ENV: 'development', HOST: API_HOST, PORT: new URL(apiOrigin).port },
    (line) => line.replaceAll(apiOrigin, pageOrigin),
  );
}

function generate(): Promise<void> {
  return withBuildLock(() => inParallel([generatePrismaClient(), generateGraphqlTypes()]));
}

/** Watches folders, since editors put a new file in the old one's place. */
function regenerateOnChange(): void {
  let settling: NodeJS.Timeout | undefined;
  for (const source of SOURCES_OF_GENERATED_CODE) {
    watch(path.join(ROOT, path.dirname(source)), (_event, name) => {
      if (name !== path.basename(source)) return;
      clearTimeout(settling);
      settling = setTimeout(() => generate().catch(reportFailure), SETTLING_MS);
    });
  }
}

/**
 * The program gets a process group of its own: Ctrl-C must reach it once, by us, since tsx takes a second signal as
 * leave to kill the server before it has stopped PostgreSQL.
 * @param said what to print for a line of its output; without it, that goes straight to the terminal
 */
function run(
  tool: string,
  args: string[],
  env: Record<string, string>,
  said?: (line: string) => string,
): void {
  const { command, options } = toolCommand(tool, env);
  const stdout = said === undefined ? 'inherit' : 'pipe';
  const child = spawn(command, args, { ...options, stdio: ['ignore', stdout, 'inherit'], detached: true });
  if (said !== undefined && child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => console.log(said(line)));
  }
  running.add(child);
  child.once('error', reportFailure);
  child.once('close', () => {
    running.delete(child);
    void stop(1);
  });
}

async function stop(exitCode: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  const closed = [...running].map((child) => once(child, 'close'));
  for (const child of running) child.kill();
  await Promise.all(closed);
  process.exit(exitCode);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, API_HOST);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No free port was found');
  return address.port;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { loadDotEnv, readConfig } from '../server/config/config.ts';
import { PROJECT_ROOT } from '../server/config/folders.ts';
import { urlHost } from '../server/config/listenHost.ts';
import { generateCode } from './generatedCode.ts';
import { reportFailure, toolCommand } from './steps.ts';

/** A change of one of these generates code anew, which in turn reloads client and server. */
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
  reportFailure(error);
  await stop(1);
}

/** Starts Vite where the product would listen, and the API behind it on a free port. Both reload by themselves. */
async function start({ host, port }: { host: string; port: number }): Promise<void> {
  await generateCode();
  if (stopping) return;
  regenerateOnChange();
  const apiOrigin = `http://${API_HOST}:${await freePort()}`;
  run('vite', ['--host', host, '--port', String(port), '--strictPort', '--clearScreen', 'false'], {
    NODE_ENV: 'development',
    API_ORIGIN: apiOrigin,
  });
  const api = run(
    'tsx',
    ['watch', '--clear-screen=false', '--include', 'schema.graphql', 'server/main.ts'],
    { NODE_ENV: 'development', HOST: API_HOST, PORT: new URL(apiOrigin).port },
    'pipe',
  );
  // Names the address of Vite's page instead of the API's, where the page is as it was last built.
  const pageOrigin = `http://${urlHost(host)}:${port}`;
  if (api.stdout === null) return;
  createInterface(api.stdout).on('line', (line) => console.log(line.replaceAll(apiOrigin, pageOrigin)));
}

/** Watches folders, since editors put a new file in the old one's place. */
function regenerateOnChange(): void {
  let settling: NodeJS.Timeout | undefined;
  for (const source of SOURCES_OF_GENERATED_CODE) {
    watch(path.join(PROJECT_ROOT, path.dirname(source)), (_event, name) => {
      if (name !== path.basename(source)) return;
      clearTimeout(settling);
      settling = setTimeout(() => generateCode().catch(reportFailure), SETTLING_MS);
    });
  }
}

/**
 * Starts a program in a process group of its own, so that Ctrl-C reaches it once, by us: tsx kills the server at a
 * second signal, before that has stopped PostgreSQL.
 */
function run(
  tool: string,
  args: string[],
  env: Record<string, string>,
  stdout: 'inherit' | 'pipe' = 'inherit',
): ChildProcess {
  const { command, options } = toolCommand(tool, env);
  const child = spawn(command, args, { ...options, stdio: ['ignore', stdout, 'inherit'], detached: true });
  running.add(child);
  child.once('error', reportFailure);
  child.once('close', () => {
    running.delete(child);
    void stop(1);
  });
  return child;
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

import v8 from 'node:v8';
import { allowSlowAddresses } from './config/addresses.ts';
import { type Config, readConfig } from './config/config.ts';
import { configurationWarnings } from './config/configurationWarnings.ts';
import { loadDotEnv, readDotEnv } from './config/dotEnv.ts';
import { ownVersion } from './config/installation.ts';
import { OperatorError } from './errors.ts';
import { explainStartError } from './explainError.ts';
import { createLog, ERROR_LEVEL, isJournal, withPriority } from './observing/log.ts';
import { onProcessWarning } from './observing/processWarnings.ts';
import { createLifetime } from './start/lifetime.ts';
import { welcome } from './start/startMessage.ts';
import { type StartedServer, startServer } from './start/startServer.ts';

// Keeps Prisma's WebAssembly as first compiled: V8 would take 11 MB to optimize it.
for (const flag of ['--no-wasm-dynamic-tiering', '--no-wasm-tier-up']) v8.setFlagsFromString(flag);

allowSlowAddresses();

const HELP = `Usage: npm start
Starts the server, until Ctrl-C or SIGTERM. Environment variables, or those in
.env, configure it: see .env.example. It takes no arguments.
`;

const log = createLog({ level: 'warn' });
const lifetime = createLifetime(log);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => void lifetime.exit(0, signal));
onProcessWarning(({ message, ...kind }) => log.warn(kind, message));
process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'uncaught exception');
  void lifetime.exit(1);
});
const [argument] = process.argv.slice(2);
if (argument !== undefined) {
  const isHelp = ['--help', '-h'].includes(argument);
  print(
    isHelp ? process.stdout : process.stderr,
    isHelp ? HELP : `error: unknown argument ${argument}\n${HELP}`,
  );
  process.exit(isHelp ? 0 : 2);
}
try {
  loadDotEnv();
  for (const warning of configurationWarnings(process.env, readDotEnv())) log.warn(warning);
  const config = readConfig(process.env);
  const starting = startServer(config, { log, lifetime }, { onDatabaseLost });
  announce(config, await lifetime.open(starting));
} catch (error) {
  if (!lifetime.signal.aborted) {
    const explained = `${explainStartError(error)}\n`;
    print(process.stderr, isJournal(process.stderr.fd) ? withPriority(ERROR_LEVEL, explained) : explained);
    await lifetime.exit(error instanceof OperatorError ? error.exitCode : 1);
  }
}

/** Ends the server, because another one may own the embedded PostgreSQL from now on. */
function onDatabaseLost(): void {
  log.fatal('the embedded PostgreSQL has ended or cut its connection: the server stops, start it again');
  void lifetime.exit(1);
}

function announce(config: Config, { address, metricsAddress, ...started }: StartedServer): void {
  if (config.production) {
    log.info(
      { version: ownVersion(), address, ...(metricsAddress && { metrics: metricsAddress }) },
      'listening',
    );
  } else print(process.stdout, welcome({ address, config, ...started }));
}

function print(stream: NodeJS.WriteStream, text: string): void {
  stream.on('error', () => {}).write(text);
}

import { createCleanupStack } from '../../server/cleanupStack.ts';
import { readConfig } from '../../server/config/config.ts';
import { createLog } from '../../server/observing/log.ts';
import { startFailure } from '../../server/startFailure.ts';
import { startServer } from '../../server/startServer.ts';
import { STREAM_BASE_URL } from './testApp.ts';

/**
 * Starts everything as `server/main.ts` does, within this process, on a free port and with a provider out of reach.
 * @returns what the terminal is told, null when it started; the lines of the log so far; and the cleanup function
 */
export async function startServerHere(
  databaseUrl: string,
  { env = {}, ...options }: Parameters<typeof startServer>[2] & { env?: Record<string, string> } = {},
) {
  const logLines: string[] = [];
  const log = createLog({ level: 'info', output: { write: (line) => void logLines.push(line) } });
  const cleanup = createCleanupStack(log);
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: databaseUrl,
    JWT_SECRET: 'a secret that signs sessions, long enough',
    PROVIDER_TOKEN_URL: 'http://127.0.0.1:9/',
    STREAM_BASE_URL,
    ...env,
  });
  const { signal } = new AbortController();
  const failure = await startServer(config, { log, cleanup, signal }, options).then(() => null, startFailure);
  return { failure, logLines, close: () => cleanup.close() };
}

import { readConfig } from '../../server/config/config.ts';
import { explainStartError } from '../../server/explainError.ts';
import { createLog } from '../../server/observing/log.ts';
import { createLifetime } from '../../server/start/lifetime.ts';
import { startServer } from '../../server/start/startServer.ts';
import { STREAM_BASE_URL } from './testApp.ts';

type Options = Parameters<typeof startServer>[2] & {
  env?: Record<string, string>;
  signal?: AbortSignal;
  /** Called with each thing that is opened. */
  onOpened?: () => void;
  level?: 'info' | 'warn';
};

/**
 * Starts everything as `server/main.ts` does, within this process, on a free port and with a provider out of reach.
 * @returns its address, or why it did not start; the lines of the log so far; the cleanup function; and the
 * lifetime, which a signal ends in another process
 */
export async function startServerHere(
  databaseUrl: string,
  { env = {}, signal, onOpened, level = 'info', ...options }: Options = {},
) {
  const logLines: string[] = [];
  const log = createLog({ level, output: { write: (line) => void logLines.push(line) } });
  const lifetime = createLifetime(log);
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: databaseUrl,
    JWT_SECRET: 'a secret that signs sessions, long enough',
    PROVIDER_TOKEN_URL: 'http://127.0.0.1:9/',
    STREAM_BASE_URL,
    ...env,
  });
  const defer: typeof lifetime.defer = (close) => {
    lifetime.defer(close);
    onOpened?.();
  };
  const context = { log, lifetime: { signal: signal ?? lifetime.signal, defer } };
  const started = await startServer(config, context, options).then(
    ({ address }) => ({ address, failure: null }),
    (error: unknown) => ({ address: '', failure: explainStartError(error) }),
  );
  return { ...started, logLines, lifetime, close: () => lifetime.close() };
}

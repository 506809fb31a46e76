import type { Logger } from 'pino';
import type { DatabaseOptions } from '../database/database.ts';
import { unavailableInWords } from '../database/databaseErrors.ts';
import type { Metrics } from '../observing/metrics.ts';
import { createGuessingAlarm, type SignInObserver } from '../signIn/guessingAlarm.ts';

type Clock = () => Date;

export function databaseWarnings(
  log: Logger,
  metrics: Metrics | null,
): Pick<DatabaseOptions, 'onConnectionLost' | 'onUnlimited' | 'onWarning'> {
  return {
    onConnectionLost: (error) => {
      metrics?.onConnectionLost();
      log.warn({ reason: unavailableInWords(error) }, 'a database connection was lost');
    },
    onWarning: (warning) => log.warn(warning),
    onUnlimited: () =>
      log.warn(
        'slow statements are not ended: a pooler in front of PostgreSQL drops statement_timeout (see deploy/pgbouncer.ini)',
      ),
  };
}

export function guessingWarnings(log: Logger, metrics: Metrics | null, clock: Clock): SignInObserver {
  return createGuessingAlarm({
    clock,
    onManyNetworks: (account) => {
      metrics?.onManyNetworks();
      log.warn({ account }, 'sign-ins to one account fail from many networks');
    },
  });
}

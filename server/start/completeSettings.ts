import { type Config, missingVariables, type RequiredSettings } from '../config/config.ts';
import { loadDemo } from '../config/loadDemo.ts';
import type { Demo } from '../demo/demo.ts';
import type { StartContext } from './startServer.ts';

/**
 * Returns the required settings. Starts the demo's database or provider for those that are not set.
 * @throws {ConfigError} when some are not set and the demo is not installed
 */
export async function completeSettings(
  { required, host, port: appPort }: Config,
  { log, cleanup, signal }: StartContext,
): Promise<{ settings: RequiredSettings; demo: Demo | null }> {
  const missing = missingVariables(required);
  if (missing.length === 0) return { settings: required as RequiredSettings, demo: null };
  const { openDemo } = await loadDemo(() => import('../demo/demo.ts'), missing);
  const onGone = () =>
    log.warn('the embedded PostgreSQL has ended: press Ctrl-C, and start the server again');
  const demo = await openDemo(required, { host, appPort, onClose: cleanup.defer, onGone, signal });
  return { settings: demo.settings, demo };
}

import { type Config, isComplete, missingVariables, type RequiredSettings } from '../config/config.ts';
import { loadDemo } from '../config/loadDemo.ts';
import type { Demo } from '../demo/demo.ts';
import type { StartContext } from './cleanupStack.ts';

/**
 * Returns the required settings. Starts the demo's database or provider for those that are not set.
 * @throws {ConfigError} when some are not set and the demo is not installed
 */
export async function completeSettings(
  { given, host, port: appPort }: Config,
  { log, cleanup, signal }: StartContext,
): Promise<{ settings: RequiredSettings; demo: Demo | null }> {
  if (isComplete(given)) return { settings: given, demo: null };
  const { openDemo } = await loadDemo(() => import('../demo/demo.ts'), missingVariables(given));
  const onGone = () =>
    log.warn('the embedded PostgreSQL has ended: press Ctrl-C, and start the server again');
  const demo = await openDemo(given, { host, appPort, onClose: cleanup.defer, onGone, signal });
  return { settings: demo.settings, demo };
}

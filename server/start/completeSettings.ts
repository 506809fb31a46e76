import {
  type Config,
  isComplete,
  loadDemo,
  missingVariables,
  type RequiredSettings,
} from '../config/config.ts';
import type { Demo } from '../demo/demo.ts';
import type { StartContext } from './lifetime.ts';

export async function completeSettings(
  { given, host, port: appPort }: Config,
  { lifetime: { defer, signal } }: StartContext,
  onDatabaseLost: (() => void) | undefined,
): Promise<{ settings: RequiredSettings; demo: Demo | null }> {
  if (isComplete(given)) return { settings: given, demo: null };
  const { openDemo } = await loadDemo(() => import('../demo/demo.ts'), missingVariables(given));
  const demo = await openDemo(given, { host, appPort, onClose: defer, onDatabaseLost, signal });
  return { settings: demo.settings, demo };
}

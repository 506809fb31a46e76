import path from 'node:path';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { buildUnlessFresh } from './build.ts';

/** The folder of the client as it is served, built now unless it is up to date. */
export async function builtClient(): Promise<string> {
  await buildUnlessFresh();
  return path.join(PROJECT_ROOT, 'dist', 'client');
}

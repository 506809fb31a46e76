import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../server/paths.ts';

/** The folder of the client as it is served, built now unless it is up to date. */
export async function builtClient(): Promise<string> {
  const build = path.join(PROJECT_ROOT, 'scripts', 'build.ts');
  await promisify(execFile)(process.execPath, ['--import', 'tsx', build, '--if-stale'], {
    cwd: PROJECT_ROOT,
  });
  return path.join(PROJECT_ROOT, 'dist', 'client');
}

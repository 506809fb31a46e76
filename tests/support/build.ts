import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { isBuildFresh } from '../../scripts/freshness.mjs';
import { PROJECT_ROOT } from '../../server/config/folders.ts';

/** Brings `dist/` up to date, for tests of what is built. */
export async function buildUnlessFresh(): Promise<void> {
  if (isBuildFresh(PROJECT_ROOT)) return;
  const build = path.join(PROJECT_ROOT, 'scripts', 'build.ts');
  await promisify(execFile)(process.execPath, ['--import', 'tsx', build, '--if-stale'], {
    cwd: PROJECT_ROOT,
  });
}

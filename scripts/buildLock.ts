import path from 'node:path';
import { withFileLock } from './fileLock.ts';
import { ROOT } from './steps.ts';

/** Whatever writes generated code or `dist/` does so one process at a time. */
export function withBuildLock<T>(work: () => Promise<T>): Promise<T> {
  return withFileLock(path.join(ROOT, 'dist', 'build.lock'), work, {
    onWait: () => console.log('Another process is building: waiting for it.'),
  });
}

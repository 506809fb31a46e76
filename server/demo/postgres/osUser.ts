import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export type OsUser = { uid: number; gid: number };

export const NOBODY: OsUser = { uid: 65_534, gid: 65_534 };

/** Root keeps files here that PostgreSQL, which runs as another user, cannot reach in the project's folder. */
export const SYSTEM_FOLDER = '/var/lib/audio-oficial-premium';

/** True if `user` may execute or enter `target`, and so also enter every folder above it. */
export async function canReach(target: string, user: OsUser): Promise<boolean> {
  return promisify(execFile)('test', ['-x', target], user).then(
    () => true,
    () => false,
  );
}

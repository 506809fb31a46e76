import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { OperatorError } from '../../errors.ts';

export type OsUser = { uid: number; gid: number };

/** Root keeps files here that PostgreSQL, which runs as another user, cannot reach in the project's folder. */
export const SYSTEM_FOLDER = '/var/lib/audio-oficial-premium';

const UNPRIVILEGED_USER = 'nobody';

export async function unprivilegedUser(): Promise<OsUser> {
  const passwd = await readFile('/etc/passwd', 'utf8');
  const line = passwd.split('\n').find((entry) => entry.startsWith(`${UNPRIVILEGED_USER}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (Number(uid) > 0 && Number(gid) > 0) return { uid: Number(uid), gid: Number(gid) };
  throw new OperatorError(
    'PostgreSQL does not run as root, and there is no usable unprivileged user: start as another user',
  );
}

/** True if `user` may execute or enter `target`, and so also enter every folder above it. */
export async function canReach(target: string, user: OsUser): Promise<boolean> {
  return promisify(execFile)('test', ['-x', target], user).then(
    () => true,
    () => false,
  );
}

import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { OperatorError } from '../errors.ts';
import { ignore } from './wholeFiles.ts';

export type OsUser = { uid: number; gid: number };

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

export async function canReach(target: string, user: OsUser): Promise<boolean> {
  const { uid, gid, mode } = await stat(target);
  const execute = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  if ((mode & execute) === 0) return false;
  const parent = path.dirname(target);
  return parent === target || canReach(parent, user);
}

export async function ownerOf(target: string): Promise<OsUser | null> {
  const found = await stat(target).catch(ignore('ENOENT'));
  return found && { uid: found.uid, gid: found.gid };
}

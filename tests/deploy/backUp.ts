import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/**
 * In place of the program that makes a command another user's: the tests' servers let everybody in, by TCP alone.
 * @param port - where the socket of this machine's PostgreSQL leads
 */
export const setpriv = (port = '$PGPORT') => `#!/bin/bash
  [ "$1 $2 $4" = '--reuid=postgres --regid=postgres --' ] && shift 4
  PGHOST=127.0.0.1 PGPORT=${port} exec "$@"`;

/** Makes a folder with audio-database as it is installed, and these programs. */
export function programsFolder(programs: Record<string, string> = {}): string {
  const folder = temporaryFolder({ setpriv: setpriv(), ...programs });
  copyFileSync(path.join(PROJECT_ROOT, 'deploy/database.mjs'), path.join(folder, 'audio-database'));
  for (const name of readdirSync(folder)) chmodSync(path.join(folder, name), 0o755);
  return folder;
}

/** Runs deploy/backup.sh, which tries once only unless `env` says otherwise. */
export function backUp(args: string[], env: Record<string, string>, programs: Record<string, string> = {}) {
  const PATH = `${programsFolder(programs)}:${env.PATH ?? process.env.PATH}`;
  return promisify(execFile)('deploy/backup.sh', args, {
    cwd: PROJECT_ROOT,
    env: { AUDIO_BACKUP_PATIENCE: '0', ...env, PATH },
  });
}

/** Returns the names of the backups in a folder, also of those that are not whole, the oldest first. */
export function dumpsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.includes('.dump'))
    .sort();
}

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../server/config/folders.ts';

/** Runs deploy/backup.sh, which tries once only unless `env` says otherwise. */
export function backUp(args: string[], env: Record<string, string>) {
  return promisify(execFile)('deploy/backup.sh', args, {
    cwd: PROJECT_ROOT,
    env: { PATH: process.env.PATH, AUDIO_BACKUP_PATIENCE: '0', ...env },
  });
}

/** Returns the names of the backups in a folder, also of those that are not whole, the oldest first. */
export function dumpsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.includes('.dump'))
    .sort();
}

/**
 * A command in place of one that runs PostgreSQL's programs: its psql finds the same database here and at the
 * instances' address, and its dump is the name of the database.
 */
export const STAND_IN_FOR_POSTGRES = `#!/bin/bash
  case "$*" in
    *" psql "*) if grep -q count; then echo 1; else printf 'same\\nsame\\n'; fi ;;
    *" pg_dump "*) echo "\${!#}" ;;
  esac`;

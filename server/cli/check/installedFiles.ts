import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ownVersion } from '../../config/installation.ts';
import type { Finding } from './checkContext.ts';

/** Written by deploy/install.sh: the release, and a copy of each file that it installed. */
const RECORD = 'var/lib/audio-install';
const INSTALLED_BY_ANY_RELEASE = 'etc/systemd/system/audio@.service';

/**
 * Compares the machine's files with those that deploy/install.sh installed.
 * @param root - of the machine's files
 * @returns null on a machine without them, such as a container
 */
export function installedFilesFound(root: string): Finding | null {
  const at = (...names: string[]) => path.join(root, ...names);
  const release = read(at(RECORD, 'release'))?.trim() ?? null;
  if (release === null && !existsSync(at(INSTALLED_BY_ANY_RELEASE))) return null;
  // Without the commit of its build.
  const [version = ''] = ownVersion().split('+');
  if (release !== version) {
    return {
      warning: `those of ${release ?? 'an earlier release'} are installed, and this is ${version}: run deploy/install.sh in this release's folder`,
    };
  }
  const names = readdirSync(at(RECORD, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(at(RECORD, 'files'), path.join(entry.parentPath, entry.name)));
  const changed = names.filter((name) => read(at(name)) !== read(at(RECORD, 'files', name)));
  if (changed.length === 0) return `as deploy/install.sh of ${version} installed them`;
  return {
    warning: `these are not as deploy/install.sh installed them: ${changed.map((name) => `/${name}`).join(', ')}`,
  };
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

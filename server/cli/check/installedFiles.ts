import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ownVersion } from '../../config/installation.ts';
import type { Finding } from './checkContext.ts';

/** Written by deploy/install.sh: the release, and a copy of each file that it installed. */
const RECORD = 'var/lib/audio-install';
const INSTALLED_BY_ANY_RELEASE = 'etc/systemd/system/audio@.service';

const UNIT = '/etc/systemd/system/audio-alarm@.service';
/** In the command of deploy/audio-alarm@.service, which an operator replaces. */
const SHIPPED = 'tells nobody';

/** Null on a machine without them, such as a container. */
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

export function findAlarm(root: string): Finding | null {
  let commands: string[];
  try {
    const unit = readFileSync(path.join(root, UNIT), 'utf8');
    commands = commandsOf([unit, ...dropInsOf(path.join(root, `${UNIT}.d`))]);
  } catch {
    return null;
  }
  return commands.some((command) => !command.includes(SHIPPED))
    ? 'its command was filled in; systemctl start audio-alarm@test tries it'
    : {
        warning: `${UNIT} tells nobody: docs/operations.md, "Tell whoever is on call", says how to fill it in`,
      };
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function dropInsOf(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith('.conf'))
    .sort()
    .map((name) => readFileSync(path.join(folder, name), 'utf8'));
}

/** Returns the values of `ExecStart=`; an empty one takes those before it away. */
function commandsOf(files: string[]): string[] {
  const values = [...files.join('\n').matchAll(/^ExecStart=(.*)$/gm)].map(([, value = '']) => value.trim());
  return values.slice(values.lastIndexOf('') + 1);
}

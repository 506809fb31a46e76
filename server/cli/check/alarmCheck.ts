import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readIfThere } from '../../installedCopies.ts';
import type { Finding } from './checkContext.ts';

const UNIT = '/etc/systemd/system/audio-alarm@.service';
/** In the command of deploy/audio-alarm@.service, which an operator replaces. */
const SHIPPED = 'tells nobody';

/** Returns whether the alarm under this root has a command of the operator's, null where no alarm can be read. */
export function findAlarm(root: string): Finding | null {
  let commands: string[];
  try {
    const unit = readIfThere(path.join(root, UNIT));
    if (unit === null) return null;
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
    .map((name) => readIfThere(path.join(folder, name)) ?? '');
}

/** Returns the values of `ExecStart=`; an empty one takes those before it away. */
function commandsOf(files: string[]): string[] {
  const values = [...files.join('\n').matchAll(/^ExecStart=(.*)$/gm)].map(([, value = '']) => value.trim());
  return values.slice(values.lastIndexOf('') + 1);
}

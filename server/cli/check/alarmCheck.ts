import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from './checkContext.ts';

const UNIT = '/etc/systemd/system/audio-alarm@.service';
/** In the command of deploy/audio-alarm@.service, which an operator replaces. */
const SHIPPED = 'tells nobody';

/** Returns whether the alarm under this root has a command of the operator's, null where no alarm can be read. */
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

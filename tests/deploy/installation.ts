import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { launchServer, type ServerProcess } from '../support/serverProcess.ts';
import { write } from '../support/temporaryFolder.ts';
import { inFolder } from './manualOnMachine.ts';
import { commandsOf, type OperatorsMachine, settingOf } from './operatorsMachine.ts';

const NOT_COPIED = ['.git', '.env', '.data', 'dist', 'node_modules'];

const [, build = '', install = ''] = inFolder(commandsOf('Install', 4));
/** Makes the folder of the program, and sets `folder` to it. */
export const MAKE_FOLDER = build;

/** As install.sh does; where DESTDIR is set, it only writes files. */
export const CREATE_DATABASE = `
  sudo -u postgres createuser audio
  sudo -u postgres createdb --owner=audio --encoding=UTF8 --locale=C.UTF-8 --template=template0 audio\n`;

/** Of the role `audio`. */
export const PASSWORD = '5ec2e7';

export function withPassword(databaseUrl: string): string {
  return databaseUrl.replace('@', `:${PASSWORD}@`);
}

/** Writes the variables, makes the folder of the program by `makeFolder`, and installs all files by install.sh. */
export async function installService(
  machine: OperatorsMachine,
  variables: Record<string, string>,
  makeFolder: string,
  options = '',
): Promise<void> {
  copyProject(machine);
  write(
    machine.file('etc'),
    'audio.env',
    filledIn({ NODE_ENV: 'production', TRUST_PROXY: '1', ...variables }),
  );
  await machine.run(`${makeFolder}\nexport DESTDIR=${machine.file('')}\n${install.trimEnd()} ${options}`);
}

function copyProject({ project }: OperatorsMachine): void {
  cpSync(PROJECT_ROOT, project, {
    recursive: true,
    filter: (source) => !NOT_COPIED.includes(path.relative(PROJECT_ROOT, source)),
  });
  symlinkSync(path.join(PROJECT_ROOT, 'node_modules'), path.join(project, 'node_modules'));
}

function filledIn(values: Record<string, string>): string {
  return Object.entries(values).reduce(
    (text, [name, value]) => {
      const line = new RegExp(`^${name}=.*$`, 'm');
      expect([name, line.test(text)]).toEqual([name, true]);
      return text.replace(line, () => `${name}=${value}`);
    },
    readFileSync(path.join(PROJECT_ROOT, '.env.example'), 'utf8'),
  );
}

export function variablesIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
}

export function launchInstance(
  { here, read, file }: OperatorsMachine,
  port: number,
  metricsPort: number,
): ServerProcess {
  const [program = '', ...args] = here(settingOf(read('etc/systemd/system/audio@.service'), 'ExecStart'))
    .replace('1%i', String(metricsPort))
    .replace('%i', String(port))
    .split(' ');
  return launchServer(args, variablesIn(read('etc/audio.env')), { program, cwd: file('opt/audio') });
}

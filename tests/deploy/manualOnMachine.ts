import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import type { DemoProvider } from '../../server/demo/demoProvider.ts';
import type { BootedMachine } from './bootedMachine.ts';
import { commandsOf } from './operatorsMachine.ts';

/** The folder in which the manual's commands run. */
const PROJECT = 'root/project';
const PASSWORD = '5ec2e7';

export const [audio = ''] = commandsOf('Everyday commands', 2);
const [, ...INSTALL] = commandsOf('Install', 6);

/** Puts what `npm run assemble` makes, and what else the manual's commands read, into a machine that is to be booted. */
export function writeProgram(root: string): void {
  const project = path.join(root, PROJECT);
  execFileSync('node', ['--import', 'tsx', 'scripts/assemble.ts', project], { cwd: PROJECT_ROOT });
  for (const name of ['docs', '.env.example'])
    cpSync(path.join(PROJECT_ROOT, name), path.join(project, name), { recursive: true });
}

/**
 * Installs by the blocks of docs/operations.md, and returns what the last one prints. The first, for apt, is
 * `debianRoot`. Replaced are a password's prompt, the editor, and what npm does.
 */
export async function installByManual(
  machine: BootedMachine,
  provider: DemoProvider,
  [createDatabase = '', check = '', assemble = '', install = '', ready = ''] = INSTALL,
): Promise<string> {
  const createRole = `psql --quiet --command="CREATE ROLE audio LOGIN PASSWORD '${PASSWORD}'"`;
  await machine.run(replaced(createDatabase, 'createuser --pwprompt audio', createRole));
  const variables = {
    NODE_ENV: 'production',
    TRUST_PROXY: '1',
    DATABASE_URL: `postgresql://audio:${PASSWORD}@localhost/audio`,
    JWT_SECRET: 'a secret of the test, of 32 bytes or more',
    PROVIDER_TOKEN_URL: provider.tokenUrl,
    STREAM_BASE_URL: provider.streamBaseUrl,
  };
  const lines = Object.entries(variables).map(([name, value]) => `s|^${name}=.*|${name}=${value}|;`);
  await machine.run(`install -m 600 .env.example .env; sed -i '${lines.join(' ')}' .env`);
  await machine.run(replaced(check, 'npm ci && npm run build && npm run check', 'node dist/server/check.js'));
  await machine.run(assembled(assemble));
  await machine.run(install);
  return machine.run(ready);
}

function assembled(commands: string): string {
  return replaced(commands, 'npm run assemble -- "$folder"', 'mkdir "$folder" && cp -r * "$folder"');
}

/** A release of which `release-2.1.1` holds what its manual installed. Its program is this one, under that number. */
export const RELEASE_2_1_1 = path.join(PROJECT_ROOT, 'tests/deploy/release-2.1.1');

/** Makes the new release's folder as the manual says, without linking it yet. */
export function makeFolder(machine: BootedMachine): Promise<string> {
  return machine.run(assembled(INSTALL[2] ?? '').replace(/^ln .*$/m, ''));
}

function replaced(commands: string, before: string, after: string): string {
  if (!commands.includes(before)) throw new Error(`docs/operations.md no longer says: ${before}`);
  return commands.replace(before, () => after);
}

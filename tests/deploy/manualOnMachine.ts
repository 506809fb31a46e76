import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import type { DemoProvider } from '../../server/demo/demoProvider.ts';
import type { BootedMachine } from './bootedMachine.ts';
import { commandsOf } from './operatorsMachine.ts';

/** The folder in which the manual's commands run. */
const PROJECT = 'root/project';

/** The first block is for apt, which `debianRoot` has run. */
const [, build = '', install = '', edit = ''] = inFolder(commandsOf('Install', 4));
const [upgrade = ''] = inFolder(commandsOf('Upgrade and migrate', 2));
const [setFolder = ''] = build.match(/^folder=.*\n/m) ?? [];
const makeFolder = replaced(assembled(build), 'npm ci\n', '');

/** Puts what `npm run assemble` makes, and what else the manual's commands read, into a machine that is to be booted. */
export function writeProgram(root: string): void {
  const project = path.join(root, PROJECT);
  execFileSync('node', ['--import', 'tsx', 'scripts/assemble.ts', project], { cwd: PROJECT_ROOT });
  cpSync(path.join(PROJECT_ROOT, 'docs'), path.join(project, 'docs'), { recursive: true });
}

/**
 * Installs by the blocks of docs/operations.md, and returns what the last one prints. Replaced are the editor, and what
 * npm does.
 */
export async function installByManual(machine: BootedMachine, provider: DemoProvider): Promise<string> {
  const refused = await machine.run(`${makeFolder}${install.trimEnd()} || echo "exit code $?"`);
  if (!/^FAILED .*\n(?:.*\n)*exit code 78$/m.test(refused)) throw new Error(`Not refused: ${refused}`);
  const variables = { PROVIDER_TOKEN_URL: provider.tokenUrl, STREAM_BASE_URL: provider.streamBaseUrl };
  await machine.run(edit.replace('editor ', `${setVariables(variables)} `));
  return machine.run(setFolder + install);
}

function setVariables(variables: Record<string, string>): string {
  const lines = Object.entries(variables).map(([name, value]) => `s|^${name}=.*|${name}=${value}|;`);
  return `sed -i '${lines.join(' ')}'`;
}

/** The folder that was just made, in place of its written name. */
export function inFolder(blocks: string[]): string[] {
  return blocks.map((block) => block.replaceAll('/opt/audio-VERSION', '"$folder"'));
}

function assembled(commands: string): string {
  return replaced(
    commands,
    'npm run assemble -- "$folder"',
    'mkdir "$folder" && cp -r * .env.example "$folder"',
  );
}

/** Makes the new release's folder, and upgrades to it. Returns what that prints. */
export function upgradeByManual(machine: BootedMachine): Promise<string> {
  return machine.run(makeFolder + upgrade);
}

/** A release of which `release-2.1.1` holds what its manual installed. Its program is this one, under that number. */
export const RELEASE_2_1_1 = path.join(PROJECT_ROOT, 'tests/deploy/release-2.1.1');
const PASSWORD_OF_2_1_1 = '5ec2e7';

/** Installs by the blocks of that release's own manual. Replaced is a password's prompt too. */
export async function installRelease211(machine: BootedMachine, provider: DemoProvider): Promise<void> {
  const page = readFileSync(path.join(RELEASE_2_1_1, 'operations.md'), 'utf8');
  const [createDatabase = '', check = '', assemble = '', installFiles = '', ready = ''] = commandsOf(
    'Install',
    5,
    page,
  );
  const createRole = `psql --quiet --command="CREATE ROLE audio LOGIN PASSWORD '${PASSWORD_OF_2_1_1}'"`;
  await machine.run(replaced(createDatabase, 'createuser --pwprompt audio', createRole));
  const variables = {
    NODE_ENV: 'production',
    TRUST_PROXY: '1',
    DATABASE_URL: `postgresql://audio:${PASSWORD_OF_2_1_1}@localhost/audio`,
    JWT_SECRET: 'a secret of the test, of 32 bytes or more',
    PROVIDER_TOKEN_URL: provider.tokenUrl,
    STREAM_BASE_URL: provider.streamBaseUrl,
  };
  await machine.run(`install -m 600 .env.example .env; ${setVariables(variables)} .env`);
  await machine.run(replaced(check, 'npm ci && npm run build && npm run check', 'node dist/server/check.js'));
  for (const commands of [assembled(assemble), installFiles, ready]) await machine.run(commands);
}

function replaced(commands: string, before: string, after: string): string {
  if (!commands.includes(before)) throw new Error(`docs/operations.md no longer says: ${before}`);
  return commands.replace(before, () => after);
}

import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { write } from '../support/temporaryFolder.ts';
import { setpriv } from './backUp.ts';

export const OPERATIONS = readFileSync(path.join(PROJECT_ROOT, 'docs/operations.md'), 'utf8');

const FOLDERS = [
  'project',
  'opt',
  'etc/systemd/system',
  'etc/nginx/conf.d',
  'etc/pgbouncer',
  'usr/local/bin',
  'usr/local/sbin',
  'var/lib/audio-backup',
];
const ABSOLUTE_PATH = /(?<=^|[ =(])\/(?=(?:opt|etc|usr\/local|var)\/)/gm;

/**
 * In place of programs that change the machine or the user; the command of another user runs here. sudo's password prompt
 * has no terminal, and npm has installed here already.
 */
const STAND_INS = `
systemctl() { :; }
sudo() { [ "$1 $2" = '-u postgres' ] && shift 2 && PGUSER=postgres "\${@/--pwprompt/--login}"; }
npm() { [ "$1" = ci ] || command npm "$@"; }
nginx() { :; }
`;

/**
 * In place of programs that change the user, start a unit or enter a container, and that a script starts by another
 * program, which knows no function of the shell. `systemd-run` runs the command as its unit would.
 */
const PROGRAMS = {
  setpriv: setpriv(),
  'systemd-run': `#!/bin/bash
    # As systemd reads the command line of a unit.
    expand() {
      python3 - "$@" << 'END'
import ctypes, glob, sys
systemd = ctypes.CDLL(glob.glob("/usr/lib/*/systemd/libsystemd-shared-*.so")[0])
systemd.replace_env_argv.restype = ctypes.POINTER(ctypes.c_char_p)
words = [word.encode() for word in sys.argv[1:]] + [None]
expanded = systemd.replace_env_argv((ctypes.c_char_p * len(words))(*words), (ctypes.c_char_p * 1)(None))
for word in expanded:
    if word is None: break
    sys.stdout.buffer.write(word + b"\\0")
END
    }
    machine=\${0%/programs/*} folder=. names=("PATH=$PATH")
    while [[ $1 == --* ]]; do
      case $1 in
        --property=EnvironmentFile=*) file=\${1##*=} file=\${file#-} ;;
        --property=WorkingDirectory=*) folder=\${1##*=} ;;
        --setenv=*) names+=("\${1#--setenv=}") ;;
      esac
      shift
    done
    mapfile -t environment < <(grep -E '^[A-Z_]+=' "$machine\${file#"$machine"}")
    mapfile -d '' words < <(expand "$@")
    cd "$folder" && exec env -i "\${names[@]}" "\${environment[@]}" "\${words[@]}"`,
  docker: `#!/bin/bash
    environment=()
    while [ "$1" != database ]; do
      case $1 in
        app-1 | app-2)
          if [ "$2" = sh ]; then cat instance-database && exit; fi
          printf '%s ' "\${environment[@]}" "$@" && exit
          ;;
        --env) environment=("$2") && shift ;;
        --project-directory) shift ;;
        compose | exec | -T) ;;
        *) exit 1 ;;
      esac
      shift
    done
    env "\${environment[@]}" "\${@:2}"`,
};

/** The installed command `audio`, as a function. */
export const AUDIO = `audio() (\n${readFileSync(path.join(PROJECT_ROOT, 'deploy/audio.sh'), 'utf8')}\n)\n`;

export type OperatorsMachine = ReturnType<typeof operatorsMachine>;

/**
 * Makes a folder that stands for an operator's machine, where commands run in `project`.
 * @param replacements - text to replace in commands
 */
export function operatorsMachine(env: Record<string, string>, replacements: Record<string, string> = {}) {
  const machine = realpathSync(mkdtempSync(path.join(tmpdir(), 'audio-oficial-premium-machine-')));
  for (const folder of FOLDERS) mkdirSync(path.join(machine, folder), { recursive: true });
  const project = path.join(machine, 'project');
  for (const [name, program] of Object.entries(PROGRAMS)) {
    write(machine, path.join('programs', name), program);
    chmodSync(path.join(machine, 'programs', name), 0o755);
  }
  const PATH = ['programs', 'usr/local/sbin']
    .map((name) => path.join(machine, name))
    .concat(`${env.PATH}`)
    .join(':');
  const here = (text: string) =>
    Object.entries({ '/usr/bin/node': process.execPath, ...replacements }).reduce(
      (commands, [before, after]) => commands.replaceAll(before, after),
      text.replaceAll(ABSOLUTE_PATH, `${machine}/`),
    );
  return {
    project,
    PATH,
    here,
    file: (name: string) => path.join(machine, name),
    read: (name: string) => readFileSync(path.join(machine, name), 'utf8'),
    modeOf: (name: string) => statSync(path.join(machine, name)).mode & 0o777,
    async run(commands: string) {
      const program = ['-euo', 'pipefail', '-c', here(STAND_INS + commands)];
      const { stdout } = await promisify(execFile)('bash', program, { cwd: project, env: { ...env, PATH } });
      return stdout;
    },
    remove: () => rmSync(machine, { recursive: true }),
  };
}

/**
 * Returns the commands of a section of docs/operations.md, block by block.
 * @throws Error when the section has another number of blocks than `count`
 */
export function commandsOf(section: string, count: number, page = OPERATIONS): string[] {
  const text = page.split('\n## ').find((part) => part.startsWith(`${section}\n`)) ?? '';
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands);
  if (blocks.length !== count) throw new Error(`"${section}" has ${blocks.length} blocks of commands`);
  return blocks;
}

/** Returns commands that export variables as the lines of a unit's EnvironmentFile have them. */
export function exported(variables: string): string {
  return [...variables.matchAll(/^([A-Z_]+)=(.*)$/gm)]
    .map(([, name, value = '']) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`)
    .join('');
}

/** Returns the last value of a setting in a systemd unit and the drop-ins after it, as systemd takes it. */
export function settingOf(unit: string, name: string): string {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].at(-1)?.[1] ?? '';
}

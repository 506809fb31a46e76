import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { launchServer, type ServerProcess } from './serverProcess.ts';

/** A stage of the Dockerfile: a folder in place of its root directory, and what was said of it. */
type Stage = {
  root: string;
  workdir: string;
  env: Record<string, string>;
  user: { uid: number; gid: number } | null;
  stopSignal: NodeJS.Signals;
  command: string[];
  healthCheck: string[];
};

export type Image = {
  /** Where the server lies. */
  folder: string;
  stopSignal: NodeJS.Signals;
  /** Its HEALTHCHECK. */
  healthCheck: string[];
  /** The server, started by the image's own command. Whoever launches it stops it. */
  launch(env: Record<string, string>, mayWrite?: boolean): ServerProcess;
  /** What `docker compose exec` would do with another command; resolves at its end. */
  run(command: string[], env?: Record<string, string>): Promise<{ exitCode: number | null; output: string }>;
  close(): Promise<void>;
};

const IGNORED_EVERYTHING = '*';

/**
 * Takes the steps of the Dockerfile without Docker: each stage is a folder, and the last one becomes the image. Only
 * `npm ci` is not run again: whoever runs the tests has, and its result is linked. Its processes run as the image's
 * user where we may change to him, and cannot write into any file anywhere, unless told.
 * @throws Error at an instruction that is none of ours so far
 */
export async function buildImage(): Promise<Image> {
  const folder = await mkdtemp(path.join(tmpdir(), 'audio-oficial-premium-image-'));
  await chmod(folder, 0o755); // the image's user is somebody else
  const close = async () => {
    await promisify(execFile)('chmod', ['-R', 'u+w', folder]);
    await rm(folder, { recursive: true });
  };
  try {
    const stage = await takeSteps(folder);
    await promisify(execFile)('chmod', ['-R', 'a-w', stage.root]);
    return { ...(await imageOf(stage, folder)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function imageOf(stage: Stage, folder: string): Promise<Omit<Image, 'close'>> {
  const user = process.getuid?.() === 0 ? stage.user : null;
  let programs = path.dirname(process.execPath);
  if (user !== null) {
    // Ours may lie in a home that is closed to others.
    programs = path.join(folder, 'programs');
    await mkdir(programs);
    await copyFile(process.execPath, path.join(programs, 'node'));
  }
  const start = ([program = '', ...args]: string[], env: Record<string, string>, mayWrite = false) =>
    launchServer(
      ['-c', `${mayWrite ? '' : 'ulimit -f 0;'} exec "$0" "$@"`, program, ...args],
      { ...stage.env, ...env, PATH: `${programs}${path.delimiter}/usr/bin:/bin` },
      { program: '/bin/sh', cwd: inside(stage, '.'), ...user },
    );
  return {
    folder: inside(stage, '.'),
    stopSignal: stage.stopSignal,
    healthCheck: stage.healthCheck,
    launch: (env, mayWrite) => start(stage.command, env, mayWrite),
    async run(command, env = {}) {
      const child = start(command, env);
      const [exitCode] = await once(child, 'close');
      return { exitCode, output: child.output };
    },
  };
}

async function takeSteps(folder: string): Promise<Stage> {
  const args: Record<string, string> = {};
  const stages: Record<string, Stage> = {};
  let stage: Stage | undefined;
  for (const { instruction, text } of await instructionsOf('Dockerfile')) {
    if (instruction === 'ARG') Object.assign(args, pairs(text));
    else if (instruction === 'FROM') {
      const [image = '', as, name = 'last'] = text.split(' ');
      if (as !== undefined && as !== 'AS') throw new Error(`FROM ${text}`);
      if (!(image.replace(/^\$\{(\w+)\}$/, '$1') in args)) throw new Error(`FROM ${text}: no such ARG`);
      stage = emptyStage(path.join(folder, name));
      stages[name] = stage;
    } else if (stage === undefined) throw new Error(`${instruction} comes before FROM`);
    else await takeStep(stage, instruction, text, stages);
  }
  if (stage === undefined) throw new Error('The Dockerfile makes nothing');
  return stage;
}

async function takeStep(stage: Stage, instruction: string, text: string, stages: Record<string, Stage>) {
  switch (instruction) {
    case 'WORKDIR':
      stage.workdir = text;
      await mkdir(inside(stage, '.'), { recursive: true });
      break;
    case 'COPY':
      await copy(stage, text.split(' '), stages);
      break;
    case 'RUN':
      await run(stage, text);
      break;
    case 'ENV':
      Object.assign(stage.env, pairs(text));
      break;
    case 'USER': {
      const [uid = Number.NaN, gid = Number.NaN] = text.split(':').map(Number);
      stage.user = { uid, gid };
      break;
    }
    case 'STOPSIGNAL':
      stage.stopSignal = text as NodeJS.Signals;
      break;
    case 'HEALTHCHECK':
      stage.healthCheck = JSON.parse(text.replace(/^.*?CMD /, ''));
      break;
    case 'CMD':
      stage.command = JSON.parse(text);
      break;
    case 'EXPOSE':
      break;
    default:
      throw new Error(`These tests do not know what ${instruction} does`);
  }
}

async function copy(stage: Stage, words: string[], stages: Record<string, Stage>): Promise<void> {
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
  const target = inside(stage, words.pop() ?? '.');
  for (const source of words) {
    if (from === undefined) await copyContext(source, target);
    else {
      const other = stages[from];
      if (other === undefined) throw new Error(`There is no stage ${from}`);
      await cp(inside(other, source), target, { recursive: true });
    }
  }
}

/** Copies one file or, for `.`, all of the project that `.dockerignore` lets pass. */
async function copyContext(source: string, target: string): Promise<void> {
  const patterns = (await readFile(path.join(PROJECT_ROOT, '.dockerignore'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (patterns.shift() !== IGNORED_EVERYTHING) throw new Error('.dockerignore does not begin by everything');
  const passing = patterns.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const ignored = patterns.filter((line) => !line.startsWith('!'));
  const files = source === '.' ? passing : [source].filter((file) => passing.includes(file));
  if (files.length === 0) throw new Error(`.dockerignore keeps ${source} back`);
  for (const file of files) {
    await cp(path.join(PROJECT_ROOT, file), path.join(target, file), {
      recursive: true,
      filter: (each) => !ignored.includes(path.relative(PROJECT_ROOT, each)),
    });
  }
}

async function run(stage: Stage, command: string): Promise<void> {
  if (command.startsWith('npm ci')) {
    await symlink(path.join(PROJECT_ROOT, 'node_modules'), inside(stage, 'node_modules'));
    return;
  }
  const PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  const { HOME = tmpdir() } = process.env;
  await promisify(execFile)('/bin/sh', ['-c', command], {
    cwd: inside(stage, '.'),
    env: { PATH, HOME, ...stage.env },
  });
}

async function instructionsOf(file: string): Promise<Array<{ instruction: string; text: string }>> {
  const whole = await readFile(path.join(PROJECT_ROOT, file), 'utf8');
  return whole
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [instruction = '', ...words] = line.split(' ');
      return { instruction, text: words.join(' ') };
    });
}

function emptyStage(root: string): Stage {
  return { root, workdir: '/', env: {}, user: null, stopSignal: 'SIGTERM', command: [], healthCheck: [] };
}

/** Where a path of the stage lies on this machine. */
function inside(stage: Stage, file: string): string {
  return path.join(stage.root, path.resolve(stage.workdir, file));
}

function pairs(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(' ').map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2);
      return [name, value];
    }),
  );
}

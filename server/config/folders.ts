import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of `package.json`, whether the code runs from `server/` or from `dist/server/`. */
export const PROJECT_ROOT = findProjectRoot(path.dirname(fileURLToPath(import.meta.url)));

export function dataFolder(): string {
  return path.resolve(PROJECT_ROOT, process.env.DATA_DIR || '.data');
}

export function demoSecretFile(folder: string): string {
  return path.join(folder, 'jwt-secret');
}

function findProjectRoot(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error('No package.json above the server code');
  return findProjectRoot(parent);
}

import path from 'node:path';
import { dataFolder } from './folders.ts';

export function explainFileError(error: unknown): string | null {
  const { code, path: file } = error as NodeJS.ErrnoException;
  if (file === undefined) return null;
  const advice = `${file}${path.sep}`.startsWith(`${dataFolder()}${path.sep}`)
    ? 'Check DATA_DIR and its rights.'
    : 'The user of this process needs the right to read it.';
  return `${code} at ${file}. ${advice}`;
}

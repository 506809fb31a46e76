import { dataFolder } from './folders.ts';

export function explainFileError(error: unknown): string | null {
  const { code, path } = error as NodeJS.ErrnoException;
  if (path === undefined) return null;
  const advice = path.startsWith(dataFolder())
    ? 'Check DATA_DIR and its rights.'
    : 'The user of this process needs the right to read it.';
  return `${code} at ${path}. ${advice}`;
}

import { readFileSync } from 'node:fs';
import { dataFolder, demoSecretFile } from '../config/folders.ts';

export function serverSecret({ JWT_SECRET }: NodeJS.ProcessEnv): string | null {
  if (JWT_SECRET) return JWT_SECRET;
  try {
    return readFileSync(demoSecretFile(dataFolder()), 'utf8');
  } catch {
    return null;
  }
}

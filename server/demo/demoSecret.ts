import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The demo's JWT secret: made once, readable by this user alone, kept so that sessions outlive a restart. */
export async function demoJwtSecret(folder: string): Promise<string> {
  const file = path.join(folder, 'jwt-secret');
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(file, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFile(file, 'utf8');
}

import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { JWT_SECRET_MIN_BYTES } from '../config/config.ts';
import { makeFolder } from '../config/paths.ts';
import { OperatorError } from '../errors.ts';

/**
 * The demo's JWT secret: made once, readable by this user alone, kept so that sessions outlive a restart.
 * @throws {OperatorError} when the file was cut short
 */
export async function demoJwtSecret(folder: string): Promise<string> {
  const file = path.join(folder, 'jwt-secret');
  await makeFolder(folder);
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, randomBytes(JWT_SECRET_MIN_BYTES).toString('base64url'), { mode: 0o600 });
  try {
    // Whole or not at all, and never over another process's.
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft);
  }
  const secret = await readFile(file, 'utf8');
  if (Buffer.byteLength(secret) < JWT_SECRET_MIN_BYTES) {
    throw new OperatorError(
      `${file} is not whole: remove it, and a new one is made. Everyone has to sign in again then.`,
    );
  }
  return secret;
}

import { randomBytes } from 'node:crypto';
import { JWT_SECRET_MIN_BYTES } from '../config/config.ts';
import { demoSecretFile } from '../config/folders.ts';
import { OperatorError } from '../errors.ts';
import { makeFolder, writeOnce } from './atomicFiles.ts';

/** Made at the first start and kept, so that sessions outlive a restart. Throws when the file was cut short. */
export async function demoJwtSecret(folder: string): Promise<string> {
  const file = demoSecretFile(folder);
  await makeFolder(folder);
  const secret = await writeOnce(file, randomBytes(JWT_SECRET_MIN_BYTES).toString('base64url'), 0o600);
  if (Buffer.byteLength(secret) < JWT_SECRET_MIN_BYTES) {
    throw new OperatorError(
      `${file} is not whole: remove it, and a new one is made. Everyone has to sign in again then.`,
    );
  }
  return secret;
}

import { randomBytes } from 'node:crypto';
import { isOpen } from '../accounts/accountState.ts';
import { JWT_SECRET_MIN_BYTES, type RequiredSettings } from '../config/config.ts';
import { dataFolder, demoSecretFile } from '../config/folders.ts';
import { OperatorError } from '../errors.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { hashPassword, verifyPassword } from '../signIn/password.ts';
import { makeFolder, writeOnce } from './atomicFiles.ts';
import { startDemoProvider } from './demoProvider.ts';
import { openEmbeddedPostgres } from './postgres/embeddedPostgres.ts';

export type Demo = {
  settings: RequiredSettings;
  database: { folder: string; isShared: boolean } | null;
};

const DEMO_PROVIDER_PORT = 8000;

export const DEMO_ACCOUNT = {
  username: 'demo@radio.example',
  password: 'demo-premium',
  company: 'Radio Demo',
};

/**
 * Starts a part of the demo for each part that `given` lacks; stops before the next one once `signal` aborts.
 * @param onClose - receives the cleanup function of each started part, to be run in reverse order
 */
export async function openDemo(
  given: Partial<RequiredSettings>,
  {
    host,
    appPort,
    onClose,
    onDatabaseLost,
    signal,
  }: {
    host: string;
    appPort: number;
    onClose: (close: () => Promise<unknown>) => void;
    onDatabaseLost?: (() => void) | undefined;
    signal?: AbortSignal;
  },
): Promise<Demo> {
  let { databaseUrl, jwtSecret, providerTokenUrl, streamBaseUrl } = given;
  let database: Demo['database'] = null;
  if (databaseUrl === undefined) {
    const postgres = await openEmbeddedPostgres({ folder: dataFolder(), onLost: onDatabaseLost });
    onClose(() => postgres.close());
    signal?.throwIfAborted();
    databaseUrl = postgres.url;
    database = postgres;
  }
  jwtSecret ??= await demoJwtSecret(dataFolder());
  if (providerTokenUrl === undefined || streamBaseUrl === undefined) {
    const provider = await startDemoProvider({
      host,
      port: appPort === DEMO_PROVIDER_PORT ? 0 : DEMO_PROVIDER_PORT,
      linkBaseUrl: streamBaseUrl,
    });
    onClose(() => provider.close());
    signal?.throwIfAborted();
    providerTokenUrl ??= provider.tokenUrl;
    streamBaseUrl ??= provider.streamBaseUrl;
  }
  return { settings: { databaseUrl, jwtSecret, providerTokenUrl, streamBaseUrl }, database };
}

/** Made at the first start and kept, so that sessions outlive a restart. */
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

export async function ensureDemoAccount(
  prisma: PrismaClient,
  now: Date,
): Promise<typeof DEMO_ACCOUNT | null> {
  const { username, password, company } = DEMO_ACCOUNT;
  const account = await prisma.account.findUnique({ where: { username } });
  if (account === null) {
    const passwordHash = await hashPassword(password);
    await prisma.account.upsert({
      where: { username },
      create: { username, passwordHash, company },
      update: {},
    });
    return DEMO_ACCOUNT;
  }
  const opens = isOpen(account, now) && (await verifyPassword(account.passwordHash, password));
  return opens ? DEMO_ACCOUNT : null;
}

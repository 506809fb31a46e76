import { randomBytes } from 'node:crypto';
import { openDatabase } from '../server/database/database.ts';
import { applyMigrations } from '../server/database/migrate.ts';
import { openEmbeddedPostgres } from '../server/demo/embeddedPostgres.ts';
import { hashPassword } from '../server/signIn/password.ts';
import { createSessions } from '../server/signIn/sessions.ts';
import { signingKeys } from '../server/signIn/signedJwt.ts';
import { makeThrowawayFolder } from '../tests/support/throwawayPostgres.ts';
import { type Program, startProgram } from './program.ts';

export const ACCOUNT = { username: 'radio@uno.example', password: 'secreto-1', company: 'Radio Uno' };

/** Where the provider has its page. */
export const PROVIDER_PATH = '/secure/audio';

const STREAM_BASE_URL = 'https://stream.example/mp3/icecast.audio?wmsAuthSign=';

/** What every contestant meets: a PostgreSQL that keeps what it is told, one signed-in account, a provider nearby. */
export type World = Awaited<ReturnType<typeof openWorld>>;

/** @param providerMs how long the provider takes for its page */
export async function openWorld({ providerMs = 0 }: { providerMs?: number } = {}) {
  const closers: Array<() => Promise<unknown>> = [];
  const close = async () => {
    for (const each of closers.splice(0).reverse()) await each();
  };
  try {
    const { folder, remove } = await makeThrowawayFolder();
    closers.push(remove);
    const postgres = await openEmbeddedPostgres({ folder });
    closers.push(() => postgres.close());
    await applyMigrations(postgres.url);
    const database = openDatabase(postgres.url);
    closers.push(() => database.close());
    const { password, ...fields } = ACCOUNT;
    const account = await database.prisma.account.create({
      data: { ...fields, passwordHash: await hashPassword(password) },
    });
    const jwtSecret = randomBytes(32).toString('hex');
    const sessions = createSessions(database.prisma, signingKeys(jwtSecret), () => new Date());
    const started = await sessions.start(account);
    if (started === null) throw new Error('The account that was just made starts no session');
    const provider = await startProgram('bench/streamTokens/provider.ts', {
      PROVIDER_MS: String(providerMs),
    });
    closers.push(() => provider.stop());
    return {
      authorization: { authorization: `Bearer ${started.jwt}` },
      prisma: database.prisma,
      databaseUrl: postgres.url,
      provider,
      /** For the server and for those that stand beside it. */
      environment: {
        DATABASE_URL: postgres.url,
        JWT_SECRET: jwtSecret,
        PROVIDER_TOKEN_URL: provider.address + PROVIDER_PATH,
        STREAM_BASE_URL,
        TRUST_PROXY: '1',
        PORT: '0',
        NODE_ENV: 'production',
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The server as it ships. */
export function startApp(
  world: World,
  environment: Record<string, string> = {},
  cores?: readonly number[],
): Promise<Program> {
  return startProgram('scripts/run.mjs', { ...world.environment, ...environment }, ['server'], cores);
}

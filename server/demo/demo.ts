import type { RequiredSettings } from '../config/config.ts';
import { dataFolder } from '../config/folders.ts';
import { startDemoProvider } from './demoProvider.ts';
import { demoJwtSecret } from './demoSecret.ts';
import { openEmbeddedPostgres } from './postgres/embeddedPostgres.ts';

export type Demo = {
  settings: RequiredSettings;
  database: { folder: string; isShared: boolean } | null;
};

const DEMO_PROVIDER_PORT = 8000;

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

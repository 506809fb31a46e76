import type { Logger } from 'pino';
import type { World } from '../config/config.ts';
import { dataFolder } from '../config/paths.ts';
import { startDemoProvider } from './demoProvider.ts';
import { demoJwtSecret } from './demoSecret.ts';
import { openEmbeddedPostgres } from './embeddedPostgres.ts';

export type Demo = {
  /** What was given, the demo's own where nothing was. */
  world: World;
  /** Where the embedded database lies; null when the database is not the demo's. */
  databaseFolder: string | null;
};

/** Where Icecast servers listen by habit; any free port serves when it is taken, or wanted for the app. */
const DEMO_PROVIDER_PORT = 8000;

/**
 * Starts the demo's part for everything that `given` lacks.
 * @param onClose takes each started part's end, to be called in the opposite order
 */
export async function openDemo(
  given: Partial<World>,
  {
    host,
    appPort,
    log,
    onClose,
  }: { host: string; appPort: number; log: Logger; onClose: (close: () => Promise<unknown>) => void },
): Promise<Demo> {
  let { databaseUrl, jwtSecret, providerTokenUrl, streamBaseUrl } = given;
  let databaseFolder: string | null = null;
  if (databaseUrl === undefined) {
    const postgres = await openEmbeddedPostgres({ folder: dataFolder() });
    onClose(() => postgres.close());
    databaseUrl = postgres.url;
    databaseFolder = postgres.folder;
  }
  jwtSecret ??= await demoJwtSecret(dataFolder());
  if (providerTokenUrl === undefined || streamBaseUrl === undefined) {
    const provider = await startDemoProvider({
      host,
      port: appPort === DEMO_PROVIDER_PORT ? 0 : DEMO_PROVIDER_PORT,
      log,
      linkBaseUrl: streamBaseUrl,
    });
    onClose(() => provider.close());
    providerTokenUrl ??= provider.tokenUrl;
    streamBaseUrl ??= provider.streamBaseUrl;
  }
  return { world: { databaseUrl, jwtSecret, providerTokenUrl, streamBaseUrl }, databaseFolder };
}

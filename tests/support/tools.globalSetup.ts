import type { TestProject } from 'vitest/node';
import { builtClient } from './builtClient.ts';
import {
  requireChromium,
  requireCurl,
  requireDockerCompose,
  requireFfmpeg,
  requireMpv,
  requireNginx,
  requirePgbouncer,
  requirePostgres,
  requirePython,
} from './testTools.ts';

/**
 * Brings what the tests need before any of them runs, so that installing counts in no test's time: ffmpeg for all, a
 * Chromium, mpv and an up-to-date build for those in the browser, and for the others nginx, PgBouncer, PostgreSQL's own
 * programs, curl, docker-compose and python3.
 */
export default async function setup(project: TestProject): Promise<void> {
  await requireFfmpeg();
  if (project.name !== 'browser') {
    await requireNginx();
    await requireCurl();
    await requireDockerCompose();
    await requirePgbouncer();
    await requirePostgres();
    await requirePython();
    return;
  }
  await requireChromium();
  await requireMpv();
  await builtClient();
}

import type { TestProject } from 'vitest/node';
import { builtClient } from './builtClient.ts';
import { requireChromium, requireFfmpeg, requireMpv, requireNginx } from './testTools.ts';

/**
 * Brings what the tests need before any of them runs, so that installing counts in no test's time: ffmpeg for all,
 * nginx for the server's, a Chromium, mpv and an up-to-date build for those in the browser.
 */
export default async function setup(project: TestProject): Promise<void> {
  await requireFfmpeg();
  if (project.name !== 'browser') {
    await requireNginx();
    return;
  }
  await requireChromium();
  await requireMpv();
  await builtClient();
}

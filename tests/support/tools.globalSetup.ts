import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { requireChromium, requireFfmpeg, requireMpv } from './testTools.ts';

const BUILD_SCRIPT = fileURLToPath(new URL('../../scripts/build.ts', import.meta.url));

/**
 * Brings what the tests need before any of them runs, so that installing counts in no test's time: ffmpeg for all,
 * a Chromium, mpv and an up-to-date build for those in the browser.
 */
export default async function setup(project: TestProject): Promise<void> {
  await requireFfmpeg();
  if (project.name !== 'browser') return;
  await requireChromium();
  await requireMpv();
  await buildUnlessFresh();
}

async function buildUnlessFresh(): Promise<void> {
  await promisify(execFile)(process.execPath, ['--import', 'tsx', BUILD_SCRIPT, '--if-stale'], {
    cwd: path.dirname(path.dirname(BUILD_SCRIPT)),
  });
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { compare, type Effort } from '../compare.ts';

/** Fetched by npx when needed: as a dependency it would double what `npm ci` installs. */
const LIGHTHOUSE = 'lighthouse@12.8.2';
const ROUNDS = 5;
const MAX_REPORT_BYTES = 32e6;

const AUDIT = z.object({ numericValue: z.number() });
const REPORT = z.object({
  categories: z.record(z.string(), z.object({ score: z.number() })),
  audits: z.object({
    'largest-contentful-paint': AUDIT,
    'cumulative-layout-shift': AUDIT,
    'total-blocking-time': AUDIT,
  }),
});

/** Runs Lighthouse, which emulates a phone on a slow line, in the browser that listens on `debuggingPort`. */
export async function runLighthouse(address: string, debuggingPort: number, effort: Effort): Promise<void> {
  await compare({
    title: 'Lighthouse, a phone on a slow line',
    rounds: ROUNDS,
    effort,
    contestants: { [new URL(address).pathname]: () => lighthouseFigures(address, debuggingPort) },
  });
}

/** Clears the HTTP cache before; the session stays. */
async function lighthouseFigures(address: string, debuggingPort: number) {
  const { stdout } = await promisify(execFile)(
    'npx',
    [
      '--yes',
      LIGHTHOUSE,
      address,
      `--port=${debuggingPort}`,
      // Given twice, since the command line reads a single one as no list.
      '--clear-storage-types=cache_storage',
      '--clear-storage-types=shader_cache',
      '--output=json',
      '--quiet',
    ],
    { maxBuffer: MAX_REPORT_BYTES },
  );
  const { categories, audits } = REPORT.parse(JSON.parse(stdout));
  return {
    ...Object.fromEntries(Object.entries(categories).map(([name, { score }]) => [name, 100 * score])),
    'LCP (ms)': audits['largest-contentful-paint'].numericValue,
    CLS: audits['cumulative-layout-shift'].numericValue,
    'TBT (ms)': audits['total-blocking-time'].numericValue,
  };
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Table } from '../benchmark.ts';
import { figure } from '../figures.ts';

/** Fetched by npx when needed: as a dependency it would double what `npm ci` installs. */
const LIGHTHOUSE = 'lighthouse@12.8.2';
const ROUNDS = 5;
const MAX_REPORT_BYTES = 32e6;

const REPORT = z.object({
  categories: z.record(z.string(), z.object({ score: z.number() })),
  audits: z.record(z.string(), z.object({ numericValue: z.number().optional() })),
});

/** Runs Lighthouse, which emulates a phone on a slow line, in the browser that listens on `debuggingPort`. */
export async function lighthouseTable(address: string, debuggingPort: number): Promise<Table> {
  const reports: z.infer<typeof REPORT>[] = [];
  while (reports.length < ROUNDS) reports.push(await lighthouseReport(address, debuggingPort));
  const score = (name: string) =>
    figure(reports.map(({ categories }) => 100 * (categories[name]?.score ?? NaN)));
  const audit = (name: string, unit: string) =>
    figure(
      reports.map(({ audits }) => audits[name]?.numericValue ?? NaN),
      unit,
    );
  return {
    title: 'Lighthouse, a phone on a slow line',
    rows: {
      [new URL(address).pathname]: {
        performance: score('performance'),
        accessibility: score('accessibility'),
        'best practices': score('best-practices'),
        SEO: score('seo'),
        LCP: audit('largest-contentful-paint', 'ms'),
        CLS: audit('cumulative-layout-shift', ''),
        TBT: audit('total-blocking-time', 'ms'),
      },
    },
  };
}

/** Clears the HTTP cache before; the session stays. */
async function lighthouseReport(address: string, debuggingPort: number) {
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
  return REPORT.parse(JSON.parse(stdout));
}

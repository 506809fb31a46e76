import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { withBuildLock } from './buildLock.ts';
import { buildFingerprint, forgetFingerprint, isBuildFresh, recordFingerprint } from './freshness.mjs';
import { generateGraphqlTypes, generatePrismaClient } from './generatedCode.ts';
import { precompress } from './precompress.ts';
import { exitOnSignals, inParallel, ROOT, reportFailure, runTool, secondsSince, step } from './steps.ts';

const DIST = path.join(ROOT, 'dist');
const PARTS = ['client', 'server'] as const;

/** Whatever the caller's NODE_ENV, React's and everybody's production code is what gets bundled. */
const PRODUCTION = { NODE_ENV: 'production' };

exitOnSignals();
try {
  await withBuildLock(async () => {
    if (process.argv.includes('--if-stale') && isBuildFresh(ROOT)) return;
    await build();
  });
} catch (error) {
  reportFailure(error);
}

/** Everything is made beside the old build and put in its place at the end: nobody meets half a build. */
async function build(): Promise<void> {
  const startMs = performance.now();
  const inputs = buildFingerprint(ROOT);
  console.log('Building');
  for (const part of PARTS) remove(nextOf(part));
  await inParallel([buildServer(), buildClient()]);
  forgetFingerprint(ROOT, 'build');
  for (const part of PARTS) publish(part);
  recordFingerprint(ROOT, 'build', inputs);
  console.log(`Built in ${secondsSince(startMs)}`);
}

async function buildServer(): Promise<void> {
  await generatePrismaClient();
  await step('server', () =>
    runTool('vite', ['build', '--config', 'vite.server.config.ts', '--outDir', nextOf('server')], PRODUCTION),
  );
}

async function buildClient(): Promise<void> {
  await generateGraphqlTypes();
  await step('client', () => runTool('vite', ['build', '--outDir', nextOf('client')], PRODUCTION));
  await step('compression', () => precompress(nextOf('client')));
}

/** As deep as the place that it is for, which the paths in source maps rely on. */
function nextOf(part: (typeof PARTS)[number]): string {
  return path.join(DIST, `${part}-next`);
}

function publish(part: (typeof PARTS)[number]): void {
  const place = path.join(DIST, part);
  const old = path.join(DIST, `${part}-old`);
  remove(old);
  if (existsSync(place)) renameSync(place, old);
  renameSync(nextOf(part), place);
  remove(old);
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

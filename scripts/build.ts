import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../server/config/folders.ts';
import { withBuildLock } from './buildLock.ts';
import { buildFingerprint, forgetBuild, isBuildFresh, recordBuild } from './freshness.mjs';
import { generateGraphqlTypes, generatePrismaClient } from './generatedCode.ts';
import { precompress } from './precompress.ts';
import { exitOnSignals, inParallel, reportFailure, runTool, secondsSince, step } from './steps.ts';

const DIST = path.join(PROJECT_ROOT, 'dist');
const PARTS = ['client', 'server'] as const;

/** Bundles the production code of React and others, whatever the caller's NODE_ENV. */
const PRODUCTION = { NODE_ENV: 'production' };

exitOnSignals();
try {
  await withBuildLock(async () => {
    if (process.argv.includes('--if-stale') && isBuildFresh(PROJECT_ROOT)) return;
    await build();
  });
} catch (error) {
  reportFailure(error);
}

/** Builds beside the old build and replaces it at the end, so that nothing ever runs half a build. */
async function build(): Promise<void> {
  const startMs = performance.now();
  const inputs = buildFingerprint(PROJECT_ROOT);
  console.log('Building');
  for (const part of PARTS) remove(nextOf(part));
  await inParallel([buildServer(), buildClient()]);
  forgetBuild(PROJECT_ROOT);
  for (const part of PARTS) publish(part);
  recordBuild(PROJECT_ROOT, inputs);
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

/** Nested as deep as the final folder, because source maps hold relative paths. */
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

import { PROJECT_ROOT } from '../server/config/paths.ts';
import { withBuildLock } from './buildLock.ts';
import {
  fingerprint,
  forgetFingerprint,
  GENERATED_CODE,
  recordedFingerprint,
  recordFingerprint,
} from './freshness.mjs';
import { inParallel, runTool, step } from './steps.ts';

type Generator = {
  name: string;
  /** Everything that it reads and writes: while none of it changes there is nothing to do. */
  files: string[];
  run(): Promise<void>;
};

const PRISMA: Generator = {
  name: 'prisma-client',
  files: ['prisma/schema.prisma', 'prisma.config.ts', 'package-lock.json', ...GENERATED_CODE.prisma],
  run: () =>
    runTool('prisma', ['generate', '--no-hints'], {
      // Any existing file keeps Prisma from downloading an engine, which it does not need to generate.
      PRISMA_SCHEMA_ENGINE_BINARY: 'prisma/schema.prisma',
      CHECKPOINT_DISABLE: '1',
    }),
};

const GRAPHQL: Generator = {
  name: 'graphql-types',
  files: [
    'schema.graphql',
    'codegen.ts',
    'package-lock.json',
    'client/api/operations.graphql',
    'docs/examples/operations.graphql',
    ...GENERATED_CODE.graphql,
  ],
  run: () => runTool('graphql-codegen', ['--errors-only']),
};

export function generateCode(): Promise<void> {
  return withBuildLock(() => inParallel([generatePrismaClient(), generateGraphqlTypes()]));
}

/** Needs the build lock. */
export function generatePrismaClient(): Promise<void> {
  return generateUnlessFresh(PRISMA);
}

/** Needs the build lock. */
export function generateGraphqlTypes(): Promise<void> {
  return generateUnlessFresh(GRAPHQL);
}

async function generateUnlessFresh({ name, files, run }: Generator): Promise<void> {
  if (recordedFingerprint(PROJECT_ROOT, name) === fingerprint(PROJECT_ROOT, files)) return;
  forgetFingerprint(PROJECT_ROOT, name);
  await step(name, run);
  recordFingerprint(PROJECT_ROOT, name, fingerprint(PROJECT_ROOT, files));
}

import { withBuildLock } from './buildLock.ts';
import { inParallel, runTool, step } from './steps.ts';

export function generateCode(): Promise<void> {
  return withBuildLock(() => inParallel([generatePrismaClient(), generateGraphqlTypes()]));
}

/** Needs the build lock. */
export function generatePrismaClient(): Promise<void> {
  return step('prisma-client', () =>
    runTool('prisma', ['generate', '--no-hints'], {
      // Any existing file keeps Prisma from downloading an engine, which it does not need to generate.
      PRISMA_SCHEMA_ENGINE_BINARY: 'prisma/schema.prisma',
      CHECKPOINT_DISABLE: '1',
    }),
  );
}

/** Needs the build lock. */
export function generateGraphqlTypes(): Promise<void> {
  return step('graphql-types', () => runTool('graphql-codegen', ['--errors-only']));
}

import { fingerprint, forgetFingerprint, recordedFingerprint, recordFingerprint } from './freshness.mjs';
import { ROOT, runTool, step } from './steps.ts';

type Generator = {
  name: string;
  /** Everything that it reads and everything that it writes: when none of it changed there is nothing to do. */
  files: string[];
  run(): Promise<unknown>;
};

const PRISMA: Generator = {
  name: 'prisma-client',
  files: ['prisma/schema.prisma', 'prisma.config.ts', 'package-lock.json', 'server/generated/prisma'],
  run: () =>
    runTool('prisma', ['generate', '--no-hints'], {
      // Any file that exists keeps Prisma from downloading an engine, which generating has no use for.
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
    'client/api/gql',
    'docs/examples/operations.graphql',
    'docs/examples/gql',
    'server/generated/resolverTypes.ts',
  ],
  run: () => runTool('graphql-codegen', ['--errors-only']),
};

/** `prisma/schema.prisma` → `server/generated/prisma`, unless it is up to date. */
export function generatePrismaClient(): Promise<void> {
  return generateUnlessFresh(PRISMA);
}

/** `schema.graphql` → the server's resolver types, the client's typed documents and the examples', unless they are up to date. */
export function generateGraphqlTypes(): Promise<void> {
  return generateUnlessFresh(GRAPHQL);
}

async function generateUnlessFresh({ name, files, run }: Generator): Promise<void> {
  if (recordedFingerprint(ROOT, name) === fingerprint(ROOT, files)) return;
  forgetFingerprint(ROOT, name);
  await step(name, run);
  recordFingerprint(ROOT, name, fingerprint(ROOT, files));
}

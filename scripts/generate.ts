import { withBuildLock } from './buildLock.ts';
import { generateGraphqlTypes, generatePrismaClient } from './generatedCode.ts';
import { exitOnSignals, inParallel, reportFailure } from './steps.ts';

exitOnSignals();
try {
  await withBuildLock(() => inParallel([generatePrismaClient(), generateGraphqlTypes()]));
} catch (error) {
  reportFailure(error);
}

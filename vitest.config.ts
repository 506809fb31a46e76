import { defineConfig } from 'vitest/config';

const TOOLS_SETUP = 'tests/support/tools.globalSetup.ts';

/** All share one throwaway PostgreSQL. What is timed by others, cluster and browser, runs alone, one file at a time. */
export default defineConfig({
  test: {
    globalSetup: 'tests/support/postgres.globalSetup.ts',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['tests/{bench,client,docs,scripts,server,shared,support}/**/*.test.{ts,tsx}'],
          globalSetup: TOOLS_SETUP,
          sequence: { groupOrder: 0 },
          maxWorkers: 2,
          // Some start whole processes, on machines that may be busy.
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['tests/cluster/**/*.test.ts'],
          globalSetup: TOOLS_SETUP,
          sequence: { groupOrder: 1 },
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          globalSetup: TOOLS_SETUP,
          sequence: { groupOrder: 2 },
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});

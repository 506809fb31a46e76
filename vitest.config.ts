import { defineConfig } from 'vitest/config';

const TOOLS_SETUP = 'tests/support/testTools.globalSetup.ts';

/**
 * `npm test` runs `unit` and `browser`; `npm run test:engines` and `npm run test:deploy` need more programs. All share one
 * throwaway PostgreSQL. The groups follow one another, since each keeps two cores busy; `deploy` restarts whole services, one
 * file at a time.
 */
export default defineConfig({
  test: {
    globalSetup: 'tests/support/postgres.globalSetup.ts',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['tests/{bench,client,docs,scripts,server,shared}/**/*.test.{ts,tsx}'],
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
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          globalSetup: TOOLS_SETUP,
          sequence: { groupOrder: 1 },
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'engines',
          include: ['tests/engines/**/*.test.ts'],
          globalSetup: TOOLS_SETUP,
          sequence: { groupOrder: 2 },
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'deploy',
          include: ['tests/deploy/**/*.test.ts'],
          globalSetup: TOOLS_SETUP,
          sequence: { groupOrder: 3 },
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});

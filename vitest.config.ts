import { defineConfig } from 'vitest/config';

const TOOLS_SETUP = 'tests/support/testTools.globalSetup.ts';
// One more than two cores, since a good part of the tests waits for processes, timers and sound.
const MAX_WORKERS = 3;

/**
 * `npm test` runs `unit` and `browser`; `npm run test:engines` and `npm run test:deploy` need more programs. All share one
 * throwaway PostgreSQL. `unit` and `browser` run together, the largest files first; `deploy` restarts whole services after
 * them, one file at a time.
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
          maxWorkers: MAX_WORKERS,
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
          maxWorkers: MAX_WORKERS,
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

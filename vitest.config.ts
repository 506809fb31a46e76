import { defineConfig } from 'vitest/config';

// Together with FOREIGN_SETTINGS (tests/support/throwawayPostgres.ts): the machine, the database and our rules by UTC are
// in three different time zones.
process.env.TZ = 'America/Santiago';

const TOOLS_SETUP = 'tests/support/testTools.globalSetup.ts';
// Twice as many as two cores, since a good part of the tests waits for processes, timers and sound.
const MAX_WORKERS = 4;
/** Tests that need `document`. */
const DOM = [
  'tests/client/**/*.test.tsx',
  'tests/client/{api/createApolloClient,page/records,browser/storage}.test.ts',
];
/** Tests that replace modules (`vi.mock`). */
const ISOLATED = [
  'tests/client/{analytics/analytics,dashboard/audio/streamAudio}.test.ts',
  'tests/server/signIn/{attemptCounts,whoExists}.test.ts',
];
/**
 * These only end what hangs. No test may depend on the machine's speed: it passes on one slow core, beside other work.
 */
const BACKSTOPS = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 120_000 } } };
/** They need no server: longer than `asyncUtilTimeout` alone, so that a wait that fails says for what it waited. */
const DOM_BACKSTOPS = { testTimeout: 90_000, hookTimeout: 90_000 };
/** Node 25 and later have a `localStorage` of their own, which jsdom's would not replace. */
const execArgv = process.allowedNodeEnvironmentFlags.has('--webstorage') ? ['--no-webstorage'] : [];
/** The copy that Apollo Server takes; of another one graphql-js refuses the schema. */
const alias = [{ find: /^graphql$/, replacement: 'graphql/index.js' }];
const UNIT_OPTIONS = {
  ...BACKSTOPS,
  alias,
  execArgv,
  setupFiles: ['tests/support/console.setup.ts'],
  maxWorkers: MAX_WORKERS,
};
/** A worker loads Fastify, Apollo and Prisma, or jsdom and React, once, not for each of its files. */
const SHARED_WORKERS = {
  ...UNIT_OPTIONS,
  isolate: false,
  setupFiles: [...UNIT_OPTIONS.setupFiles, 'tests/support/sharedModules.setup.ts'],
};
const BROWSER_OPTIONS = {
  ...BACKSTOPS,
  alias,
  globalSetup: TOOLS_SETUP,
  maxWorkers: MAX_WORKERS,
  // No file replaces a module, so each worker imports the server and Playwright once.
  isolate: false,
};

/**
 * `npm test` runs `browser` and those whose names begin with `unit`, `npm run test:screens` looks at every state of the
 * screens; `npm run test:engines` and `npm run test:deploy` need more programs. All share one throwaway PostgreSQL. `deploy` restarts whole services after the others, one file at
 * a time.
 */
export default defineConfig({
  test: {
    globalSetup: 'tests/support/postgres.globalSetup.ts',
    projects: [
      {
        test: {
          ...SHARED_WORKERS,
          name: 'unit',
          include: ['tests/{client,docs,scripts,server,shared}/**/*.test.ts'],
          exclude: [...ISOLATED, ...DOM],
        },
      },
      // Its own project: between files of two environments Vitest would end the worker.
      { test: { ...SHARED_WORKERS, ...DOM_BACKSTOPS, name: 'unit-dom', include: DOM, environment: 'jsdom' } },
      { test: { ...UNIT_OPTIONS, name: 'unit-isolated', include: ISOLATED } },
      { test: { ...BROWSER_OPTIONS, name: 'browser', include: ['tests/browser/**/*.test.ts'] } },
      { test: { ...BROWSER_OPTIONS, name: 'screens', include: ['tests/screens/**/*.test.ts'] } },
      {
        test: {
          name: 'engines',
          include: ['tests/engines/**/*.test.ts'],
          globalSetup: TOOLS_SETUP,
          sequence: { groupOrder: 2 },
          // Silence and delay are measured, which another browser at work would disturb.
          fileParallelism: false,
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
          expect: BACKSTOPS.expect,
        },
      },
    ],
  },
});

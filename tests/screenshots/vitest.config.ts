import { defineConfig } from 'vitest/config';

// Where a partner is: times in UTC would be marked as such.
process.env.TZ = 'Europe/Madrid';

export default defineConfig({
  test: {
    name: 'browser',
    include: ['tests/screenshots/*.ts'],
    exclude: ['**/*.config.ts'],
    globalSetup: ['tests/support/postgres.globalSetup.ts', 'tests/support/testTools.globalSetup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

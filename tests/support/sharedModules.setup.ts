import { vi } from 'vitest';

/*
 * Refuses a replaced module where files share a worker: the next file would get it too, if it ran in that worker. Both
 * calls come before a test's own code, so the file fails at once.
 */
const refuse = () => {
  throw new Error('this file replaces a module: add it to ISOLATED in vitest.config.ts');
};
vi.mock = refuse;
vi.doMock = refuse;

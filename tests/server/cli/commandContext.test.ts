import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { serverSecret } from '../../../server/cli/commandContext.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

afterEach(() => vi.unstubAllEnvs());

test('the secret is JWT_SECRET, or else what the demo keeps', () => {
  vi.stubEnv('DATA_DIR', temporaryFolder({ 'jwt-secret': 'of the demo' }));
  expect(serverSecret({ JWT_SECRET: 'given' })).toBe('given');
  expect(serverSecret({})).toBe('of the demo');
});

test('the secret is not known where nothing keeps one', () => {
  vi.stubEnv('DATA_DIR', path.join(temporaryFolder({}), 'away'));
  expect(serverSecret({})).toBeNull();
});

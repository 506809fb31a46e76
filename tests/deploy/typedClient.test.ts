import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { ACCOUNT, providerOf, STREAM_BASE_URL, startTestApp } from '../support/testApp.ts';

const INSTALL_MS = 300_000;

test(
  'the commands of docs/api.md make a typed client that runs',
  async ({ onTestFinished }) => {
    const app = await startTestApp({ provider: providerOf('dG9rZW4=') });
    onTestFinished(() => app.close());
    await app.addAccount(ACCOUNT);
    const folder = await mkdtemp(path.join(tmpdir(), 'audio-typed-client-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const page = await readFile(path.join(PROJECT_ROOT, 'docs', 'api.md'), 'utf8');
    const [, codegen = '', commands = ''] = /```yaml\n(.*?)```.*?```sh\n(.*?)```/s.exec(page) ?? [];
    await writeFile(path.join(folder, 'codegen.yml'), codegen);
    for (const file of ['schema.graphql', 'docs/examples/operations.graphql', 'docs/examples/token.ts']) {
      await copyFile(path.join(PROJECT_ROOT, file), path.join(folder, path.basename(file)));
    }

    const { stdout } = await promisify(execFile)('bash', ['-euc', commands], {
      cwd: folder,
      env: {
        ...withoutNpmSettings(),
        AUDIO_API: `${app.url}/graphql`,
        AUDIO_USERNAME: ACCOUNT.username,
        AUDIO_PASSWORD: ACCOUNT.password,
      },
    });

    expect(commands).toContain('npm install');
    expect(stdout.trim().split('\n').at(-1)).toBe(`${STREAM_BASE_URL}dG9rZW4=`);
  },
  INSTALL_MS,
);

/**
 * Returns the environment without the settings of the npm that runs these tests, which would install into this project.
 */
function withoutNpmSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$)/i.test(name)));
}

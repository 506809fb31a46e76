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
    await writeFile(path.join(folder, 'codegen.yml'), codegen.replace('http://127.0.0.1:4000', app.url));
    for (const file of ['docs/examples/operations.graphql', 'docs/examples/token.ts']) {
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

const GENQL = '@genql/cli@6.3.4';
const CLIENT = `
  import { createClient } from './genql/index.ts';
  const { AUDIO_API: url, AUTHORIZATION: authorization } = process.env;
  const client = createClient({ url, headers: { authorization } });
  console.log((await client.mutation({ createToken: { streamUrl: true } })).createToken.streamUrl);
`;

test(
  'another code generator makes a client of the served schema',
  async ({ onTestFinished }) => {
    const app = await startTestApp({ provider: providerOf('dG9rZW4=') });
    onTestFinished(() => app.close());
    await app.addAccount(ACCOUNT);
    const folder = await mkdtemp(path.join(tmpdir(), 'audio-genql-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const schema = await fetch(`${app.url}/docs/schema.graphql`);
    await writeFile(path.join(folder, 'schema.graphql'), await schema.text());
    await writeFile(path.join(folder, 'client.mts'), CLIENT);
    const { authorization } = await app.bearer();
    const env = { ...withoutNpmSettings(), AUDIO_API: `${app.url}/graphql`, AUTHORIZATION: authorization };
    const run = (program: string, ...args: string[]) =>
      promisify(execFile)(program, args, { cwd: folder, env });

    await run('npx', '--yes', GENQL, '--schema', 'schema.graphql', '--output', 'genql');
    const { stdout } = await run(process.execPath, '--import', import.meta.resolve('tsx'), 'client.mts');

    expect(stdout.trim()).toBe(`${STREAM_BASE_URL}dG9rZW4=`);
  },
  INSTALL_MS,
);

/**
 * Returns the environment without the settings of the npm that runs these tests, which would install into this project.
 */
function withoutNpmSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$)/i.test(name)));
}

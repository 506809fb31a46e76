import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CodedError } from '../../server/errors.ts';
import { PROJECT_ROOT } from '../../server/paths.ts';
import { ACCOUNT, providerOf, STREAM_BASE_URL, startTestApp, type TestApp } from '../support/testApp.ts';
import { requireCurl, requirePython } from '../support/testTools.ts';

/** Has all that JSON and shells treat in a way of their own. */
const PASSWORD = `$(x) "ñ" 'y' \\ z`;
const WRONG = 'otra-clave';
const MAY_WORK_LATER = 75;

let app: TestApp;
let curlFolder: string;

beforeAll(async () => {
  curlFolder = path.dirname(await requireCurl());
  app = await startTestApp({ provider: providerOf('dG9rZW4+/w==') });
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.prisma.account.deleteMany();
  await app.prisma.signInCount.deleteMany();
  await app.addAccount({ ...ACCOUNT, password: PASSWORD });
});

describe.each([
  ['token.sh', async () => ['bash']],
  ['token.ts', async () => [process.execPath, '--import', 'tsx']],
  ['token.py', async () => [await requirePython()]],
] as const)('docs/examples/%s', (file, interpreter) => {
  /** What the program does against an API; `status` is its exit status. */
  async function run(password = PASSWORD, api = `${app.url}/graphql`) {
    const [program = '', ...args] = await interpreter();
    const running = promisify(execFile)(program, [...args, path.join('docs', 'examples', file)], {
      cwd: PROJECT_ROOT,
      env: {
        PATH: `${curlFolder}:${process.env.PATH}`,
        AUDIO_API: api,
        AUDIO_USERNAME: ACCOUNT.username,
        AUDIO_PASSWORD: password,
      },
    });
    const { stdout, stderr, code } = await running.then(
      (output) => ({ ...output, code: 0 }),
      (error: { stdout: string; stderr: string; code: number }) => error,
    );
    return { stdout, stderr, status: code };
  }

  test("prints the stream's address, says until when it can be opened, and leaves no session behind", async () => {
    const { stdout, stderr, status } = await run();
    expect([stdout, status]).toEqual([`${STREAM_BASE_URL}dG9rZW4+/w==\n`, 0]);
    expect(stderr).toMatch(/^Connect before \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\n$/);
    expect(await app.prisma.session.count()).toBe(0);
  });

  test('tells that a wrong password is not worth trying again, and after how long it is once there were too many', async () => {
    expect(await run(WRONG)).toEqual({ stdout: '', stderr: 'INVALID_CREDENTIALS\n', status: 1 });
    for (let attempt = 2; attempt <= 5; attempt += 1) await app.login(ACCOUNT.username, WRONG);
    const { stdout, stderr, status } = await run();
    expect([stdout, status]).toEqual(['', MAY_WORK_LATER]);
    expect(stderr).toMatch(/^RATE_LIMITED, again in [89]\d\d s\n$/);
  });

  test('tells that a provider which is down may be back later, and signs out', async () => {
    const down = await startTestApp({
      databaseUrl: app.databaseUrl,
      provider: providerOf(new CodedError('PROVIDER_UNAVAILABLE', 'Down')),
    });
    try {
      const failed = await run(PASSWORD, `${down.url}/graphql`);
      expect(failed).toEqual({ stdout: '', stderr: 'PROVIDER_UNAVAILABLE\n', status: MAY_WORK_LATER });
      expect(await app.prisma.session.count()).toBe(0);
    } finally {
      await down.close();
    }
  });

  test('tells that nobody answered, and what the server finds wrong with a request', async () => {
    const nobody = await run(PASSWORD, 'http://127.0.0.1:9/graphql');
    expect([nobody.stdout, nobody.status]).toEqual(['', MAY_WORK_LATER]);
    expect(nobody.stderr).toMatch(/^(curl: .*\n)?NO_ANSWER\n$/);
    expect(await run('x')).toEqual({ stdout: '', stderr: 'BAD_USER_INPUT\n', status: 1 });
    expect(await run(PASSWORD, `${app.url}/other`)).toEqual({ stdout: '', stderr: 'NOT_FOUND\n', status: 1 });
  });
});

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { OPERATION_CODES } from '../../shared/errorCodes.ts';
import { freePort } from '../support/freePort.ts';
import { ACCOUNT, providerOf, STREAM_BASE_URL, startTestApp, type TestApp } from '../support/testApp.ts';
import { requireTool } from '../support/testTools.ts';

// One process for each code.
vi.setConfig({ testTimeout: 120_000 });

/** Holds every character that JSON or shells treat specially. */
const PASSWORD = `$(x) "ñ" 'y' \\ z`;
const WRONG = 'otra-clave';
const MAY_WORK_LATER = 75;
/** The request's id, by which an operator finds it in the log. */
const REQUEST_ID = /\(x-request-id [\da-f-]{36}\)\n$/;
const LATER = [
  'RATE_LIMITED',
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_BAD_ANSWER',
  'DATABASE_UNAVAILABLE',
  'INTERNAL_SERVER_ERROR',
  'PERSISTED_QUERY_NOT_FOUND',
  'NEW_NEXT_YEAR',
];

let app: TestApp;
let curlFolder: string;

beforeAll(async () => {
  curlFolder = path.dirname(requireTool('curl'));
  app = await startTestApp({ provider: providerOf('dG9rZW4+/w==') });
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.prisma.account.deleteMany();
  await app.prisma.attemptCount.deleteMany();
  await app.addAccount({ ...ACCOUNT, password: PASSWORD });
});

describe.each([
  ['token.sh', async () => ['bash']],
  ['token.ts', async () => [process.execPath, '--import', 'tsx']],
  ['token.py', async () => [requireTool('python3')]],
] as const)('docs/examples/%s', (file, interpreter) => {
  /** Runs the program against an API, with a key instead of username and password if given; `status` is its exit status. */
  async function run(
    password = PASSWORD,
    api = `${app.url}/graphql`,
    username: string = ACCOUNT.username,
    key?: string,
  ) {
    const [program = '', ...args] = await interpreter();
    const running = promisify(execFile)(program, [...args, path.join('docs', 'examples', file)], {
      cwd: PROJECT_ROOT,
      env: {
        PATH: `${curlFolder}:${process.env.PATH}`,
        AUDIO_API: api,
        ...(key === undefined ? { AUDIO_USERNAME: username, AUDIO_PASSWORD: password } : { AUDIO_KEY: key }),
      },
    });
    const { stdout, stderr, code } = await running.then(
      (output) => ({ ...output, code: 0 }),
      (error: { stdout: string; stderr: string; code: number }) => error,
    );
    return { stdout, stderr, status: code };
  }

  test("prints the stream's address", async () => {
    const { stdout, stderr, status } = await run();
    expect([stdout, status]).toEqual([`${STREAM_BASE_URL}dG9rZW4+/w==\n`, 0]);
    expect(stderr).toMatch(/^Connect before \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\n$/);
    expect(await app.prisma.session.count()).toBe(0);
  });

  test('neither signs in nor out when given a key', async () => {
    const key = await app.addKey();
    const { stdout, stderr, status } = await run('', undefined, '', key);
    expect([stdout, status]).toEqual([`${STREAM_BASE_URL}dG9rZW4+/w==\n`, 0]);
    expect(stderr).toMatch(/^Connect before .+\n$/);
    expect(await app.prisma.session.count()).toBe(0);
    await app.prisma.accountKey.deleteMany();
    const refused = await run('', undefined, '', key);
    expect([refused.stdout, refused.status]).toEqual(['', 1]);
    expect(refused.stderr).toMatch(/^UNAUTHENTICATED: .+revoked/);
  });

  test('waits for as long as the limits say', async () => {
    const standIn = await startStandIn({ createToken: [limitedFor(1)] });
    const { stdout, stderr, status } = await run(PASSWORD, standIn.address);
    expect([stdout, status]).toEqual(['https://stream.example?sign=x\n', 0]);
    expect(stderr).toMatch(/^RATE_LIMITED: .+; waiting 1 s\nConnect before /);
    expect(standIn.asked).toEqual(['login', 'createToken', 'createToken', 'logout']);
    const [, refusedAtMs = 0, createdAtMs = 0] = standIn.askedAtMs;
    expect(createdAtMs - refusedAtMs).toBeGreaterThanOrEqual(1_000);
  });

  test('says why it got nothing', async () => {
    const nobody = await run(PASSWORD, `http://127.0.0.1:${await freePort()}/graphql`);
    expect([nobody.stdout, nobody.status]).toEqual(['', MAY_WORK_LATER]);
    expect(nobody.stderr).toMatch(/Failed to connect|Connection refused|ECONNREFUSED/);
    expect(nobody.stderr).toContain('NO_ANSWER: ');
    const wrong = await run(WRONG);
    expect([wrong.stdout, wrong.status]).toEqual(['', 1]);
    expect(wrong.stderr).toMatch(/^INVALID_CREDENTIALS: Credenciales invalidas /);
    expect(wrong.stderr).toMatch(REQUEST_ID);
  });

  test('sends nothing without a password or without https', async () => {
    const { stderr } = await run('');
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('AUDIO_PASSWORD is missing')]);
    const insecure = await run(PASSWORD, 'http://localhost:80@audio.example/');
    expect([insecure.stdout, insecure.status]).toEqual(['', 1]);
    expect(insecure.stderr).toContain('has to be an https:// address');
  });

  test('exits with 75 where the same request may work later', async () => {
    for (const code of new Set([...OPERATION_CODES, ...LATER])) {
      const standIn = await startStandIn({ login: [refusalOf(code)] });
      const { stderr, status } = await run(PASSWORD, standIn.address);
      expect([stderr, status]).toEqual([`${code}: Said "so"\n`, LATER.includes(code) ? MAY_WORK_LATER : 1]);
    }
  });

  test('warns if it cannot sign out', async () => {
    const standIn = await startStandIn({ logout: [refusalOf('DATABASE_UNAVAILABLE')] });
    const { stdout, stderr, status } = await run(PASSWORD, standIn.address);
    expect([stdout, status]).toEqual(['https://stream.example?sign=x\n', 0]);
    expect(stderr).toContain('The session was not ended');
  });

  test('follows no redirect', async () => {
    const standIn = await startStandIn({ login: [{ status: 302, location: '/elsewhere' }] });
    const { stderr, status } = await run(PASSWORD, standIn.address);
    expect([stderr, status]).toEqual([expect.stringContaining('NO_ANSWER: '), MAY_WORK_LATER]);
    expect(standIn.asked).toEqual(['login']);
  });
});

type StandInAnswer = { status: number; location?: string; body?: object };

/** An error whose message a parser must unescape. */
const refusalOf = (code: string): StandInAnswer => ({
  status: 200,
  body: { errors: [{ message: 'Said "so"', extensions: { code } }] },
});

const limitedFor = (retryAfterSeconds: number): StandInAnswer => ({
  status: 200,
  body: { errors: [{ message: 'Too many', extensions: { code: 'RATE_LIMITED', retryAfterSeconds } }] },
});

/** Starts an API that gives each operation its answers, one a request, and then succeeds. */
async function startStandIn(answers: Record<string, StandInAnswer[]>) {
  const data: Record<string, object> = {
    login: { login: { jwt: 'jwt-1' } },
    createToken: { createToken: { streamUrl: 'https://stream.example?sign=x', expiry: 'soon' } },
    logout: { logout: true },
  };
  const asked: string[] = [];
  const askedAtMs: number[] = [];
  const server = createServer(async (request, response) => {
    const operation = /login|createToken|logout/.exec(await text(request))?.[0] ?? 'none';
    asked.push(operation);
    askedAtMs.push(performance.now());
    const { status, location, body } = answers[operation]?.shift() ?? {
      status: 200,
      body: { data: data[operation] },
    };
    response.writeHead(status, location === undefined ? {} : { location });
    response.end(body && JSON.stringify(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return { asked, askedAtMs, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql` };
}

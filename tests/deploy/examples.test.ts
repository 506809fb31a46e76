import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { OPERATION_CODES } from '../../shared/errorCodes.ts';
import { freePort } from '../support/freePort.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ACCOUNT, providerOf, STREAM_BASE_URL, startTestApp } from '../support/testApp.ts';
import { requireTool } from '../support/testTools.ts';
import { writeCertificate } from './certificates.ts';

/** Holds every character that JSON or shells treat specially. */
const PASSWORD = `$(x) "ñ" 'y' \\ z`;
const MAY_WORK_LATER = 75;
const LATER = [
  'RATE_LIMITED',
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_BAD_ANSWER',
  'DATABASE_UNAVAILABLE',
  'INTERNAL_SERVER_ERROR',
  'PERSISTED_QUERY_NOT_FOUND',
  'NEW_NEXT_YEAR',
];
const NOBODY = `http://127.0.0.1:${await freePort()}/graphql`;
/** Node 24 refuses a proxy's address with a path. */
const PROXY = new URL(NOBODY).origin;

type Answer = { location?: string; body?: object };
type Case = {
  env?: Record<string, string>;
  /** The stand-in's first answer to an operation; after it everything succeeds. */
  answers?: Record<string, Answer>;
  /** The operations, each with what is sent as Bearer. */
  asked?: string[];
  stderr: RegExp;
  status: number;
};

/** An error whose message a parser must unescape. */
const refusal = (code: string, retryAfterSeconds?: number): Answer => ({
  body: { errors: [{ message: 'Said "so"', extensions: { code, retryAfterSeconds } }] },
});

const CASES: Record<string, Case> = {
  'neither signs in nor out when given a key': {
    env: { AUDIO_KEY: 'aop_tool_x' },
    asked: ['createToken aop_tool_x'],
    stderr: /^Connect before soon\n$/,
    status: 0,
  },
  'never asks this machine through a proxy': {
    env: { AUDIO_KEY: 'aop_tool_x', http_proxy: PROXY, all_proxy: PROXY, NODE_USE_ENV_PROXY: '1' },
    asked: ['createToken aop_tool_x'],
    stderr: /^Connect before soon\n$/,
    status: 0,
  },
  'waits for as long as the limits say': {
    answers: { createToken: refusal('RATE_LIMITED', 1) },
    asked: ['login', 'createToken jwt-1', 'createToken jwt-1 after 1 s', 'logout jwt-1'],
    stderr: /^RATE_LIMITED: .+; waiting 1 s\nConnect before soon\n$/,
    status: 0,
  },
  'warns if it cannot sign out': {
    answers: { logout: refusal('DATABASE_UNAVAILABLE') },
    stderr: /The session was not ended/,
    status: 0,
  },
  'says that nobody answers': {
    env: { AUDIO_API: NOBODY },
    stderr: /Failed to connect[\s\S]+NO_ANSWER: |NO_ANSWER: .*(Connection refused|ECONNREFUSED)/,
    status: MAY_WORK_LATER,
  },
  'follows no redirect': {
    answers: { login: { location: '/elsewhere' } },
    asked: ['login'],
    stderr: /NO_ANSWER: /,
    status: MAY_WORK_LATER,
  },
  'sends nothing without a password': {
    env: { AUDIO_PASSWORD: '' },
    asked: [],
    stderr: /^.*AUDIO_PASSWORD is missing.*\n$/,
    status: 1,
  },
  'sends nothing without https': {
    env: { AUDIO_API: 'http://localhost:80@audio.example/' },
    stderr: /has to be an https:\/\/ address/,
    status: 1,
  },
};
for (const code of new Set([...OPERATION_CODES, ...LATER])) {
  CASES[`says whether ${code} may work later`] = {
    answers: { login: refusal(code) },
    stderr: new RegExp(`^${code}: Said "so" \\(x-request-id 4711\\)\n$`),
    status: LATER.includes(code) ? MAY_WORK_LATER : 1,
  };
}

describe.each([
  ['token.sh', ['bash']],
  ['token.ts', [process.execPath, '--import', 'tsx']],
  ['token.py', [requireTool('python3')]],
])('docs/examples/%s', (file, [program = '', ...args]) => {
  async function run(env: Record<string, string>) {
    const PATH = `${path.dirname(requireTool('curl'))}:${process.env.PATH}`;
    const credentials = { AUDIO_USERNAME: ACCOUNT.username, AUDIO_PASSWORD: PASSWORD };
    const running = promisify(execFile)(program, [...args, path.join('docs', 'examples', file)], {
      cwd: PROJECT_ROOT,
      env: { PATH, ...('AUDIO_KEY' in env ? {} : credentials), ...env },
    });
    return running.then(
      (output) => ({ ...output, code: 0 }),
      (error: { stdout: string; stderr: string; code: number }) => error,
    );
  }

  test("prints the stream's address", async () => {
    const app = await startTestApp({ provider: providerOf('dG9rZW4+/w==') });
    onTestFinished(app.close);
    await app.addAccount({ ...ACCOUNT, password: PASSWORD });
    const { stdout, stderr, code } = await run({ AUDIO_API: `${app.url}/graphql` });
    expect([stdout, code]).toEqual([`${STREAM_BASE_URL}dG9rZW4+/w==\n`, 0]);
    expect(stderr).toMatch(/^Connect before \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\n$/);
    expect(await app.prisma.session.count()).toBe(0);
  });

  test.each(Object.entries(CASES))('%s', async (_title, { env, answers, asked, stderr, status }) => {
    const standIn = await startStandIn(answers);
    const got = await run({ AUDIO_API: standIn.address, ...env });
    expect([got.stdout, got.code]).toEqual([status === 0 ? 'https://stream.example?sign=x\n' : '', status]);
    expect(got.stderr).toMatch(stderr);
    if (asked !== undefined) expect(standIn.asked).toEqual(asked);
  });

  test('says that the certificate is not accepted, and that a later try will not help', async () => {
    const folder = temporaryFolder();
    writeCertificate(folder, 1);
    const read = (name: string) => readFileSync(path.join(folder, name));
    const server = createTlsServer({ cert: read('fullchain.pem'), key: read('privkey.pem') });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const got = await run({ AUDIO_KEY: 'x', AUDIO_API: `https://127.0.0.1:${port}/graphql` });
    expect([got.stdout, got.code]).toEqual(['', 1]);
    expect(got.stderr).toMatch(/the certificate of AUDIO_API is not accepted.*\n$/i);
  });

  test('gives no key to a proxy for HTTP:// in capitals', async () => {
    const [api, proxy] = [await startStandIn(), await startStandIn()];
    const http_proxy = new URL(proxy.address).origin;
    await run({
      AUDIO_KEY: 'x',
      AUDIO_API: api.address.replace('http:', 'HTTP:'),
      http_proxy,
      all_proxy: http_proxy,
      NODE_USE_ENV_PROXY: '1',
    });
    expect(proxy.asked).toEqual([]);
  });
});

async function startStandIn(answers: Record<string, Answer> = {}) {
  const data: Record<string, object> = {
    login: { login: { jwt: 'jwt-1' } },
    createToken: { createToken: { streamUrl: 'https://stream.example?sign=x', expiry: 'soon' } },
    logout: { logout: true },
  };
  const firstAnswers = new Map(Object.entries(answers));
  const asked: string[] = [];
  let askedMs = performance.now();
  const server = createServer(async (request, response) => {
    const operation = /login|createToken|logout/.exec(await text(request))?.[0] ?? 'none';
    const again = asked.at(-1)?.startsWith(operation) && performance.now() - askedMs >= 1_000;
    const bearer = request.headers.authorization?.replace('Bearer', '') ?? '';
    asked.push(`${operation}${bearer}${again ? ' after 1 s' : ''}`);
    askedMs = performance.now();
    const { location, body = { data: data[operation] } } = firstAnswers.get(operation) ?? {};
    firstAnswers.delete(operation);
    response.setHeader('x-request-id', '4711');
    if (location === undefined) response.end(JSON.stringify(body));
    else response.writeHead(302, { location }).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return { asked, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql` };
}

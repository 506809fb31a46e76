import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashPassword } from '../../server/signIn/password.ts';
import { createSessions } from '../../server/signIn/sessions.ts';
import { jwtSecrets } from '../../server/signIn/signedJwt.ts';
import { openPatientDatabase } from './patientDatabase.ts';
import { BUILT, becomesReady, launchServer, type ServerProcess, stopServer } from './serverProcess.ts';
import { ACCOUNT, LOGIN, STREAM_BASE_URL } from './testApp.ts';
import { createTestDatabase } from './testDatabase.ts';

const JWT_SECRET = 'a secret that every instance knows';

/** So many that all of them together may create more tokens than a test asks for. */
const PARTNERS = 100;

/**
 * Starts what instances in production share: a database with accounts, all of them signed in, and a media provider.
 * @param beforeAnswer - what the provider waits for
 */
export async function startProduction(beforeAnswer: () => Promise<unknown>) {
  const database = await createTestDatabase();
  const opened = openPatientDatabase(database.url);
  const { password, ...rest } = ACCOUNT;
  const passwordHash = await hashPassword(password);
  const accounts = await opened.prisma.account.createManyAndReturn({
    data: Array.from({ length: PARTNERS }, (_, index) => ({
      ...rest,
      username: index === 0 ? ACCOUNT.username : `radio-${index}@uno.example`,
      passwordHash,
    })),
  });
  const sessions = createSessions(opened.prisma, jwtSecrets(JWT_SECRET), () => new Date());
  const jwts = await Promise.all(accounts.map(async (account) => (await sessions.start(account)).jwt));
  await opened.close();
  let asked = 0;

  const provider = await startMediaProvider(beforeAnswer);
  const running = new Set<ServerProcess>();

  async function startInstance(port: number, env: Record<string, string> = {}): Promise<ServerProcess> {
    const server = launchServer(BUILT, {
      NODE_ENV: 'production',
      PORT: String(port),
      DATABASE_URL: database.url,
      JWT_SECRET,
      ...provider.env,
      TRUST_PROXY: '1',
      ...env,
    });
    running.add(server);
    server.on('exit', () => running.delete(server));
    await becomesReady(server, port);
    return server;
  }

  return {
    startInstance,
    /**
     * Returns the HTTP request of an operation: a sign-in of the first partner without a session, everything else
     * with the session of the next of the others. Many sign-ins end an account's oldest session.
     */
    requestOf(query: string) {
      asked += 1;
      const authorization = query === LOGIN ? '' : `Bearer ${jwts[1 + (asked % (PARTNERS - 1))]}`;
      const variables = { username: ACCOUNT.username, password };
      return {
        path: '/graphql',
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify({ query, variables }),
      } as const;
    },
    get requestsToProvider() {
      return provider.requests;
    },
    async close() {
      for (const server of running) await stopServer(server, 'SIGKILL');
      provider.close();
      await database.drop();
    },
  };
}

async function startMediaProvider(beforeAnswer: () => Promise<unknown>) {
  let requests = 0;
  const server = createServer(async (_request, response) => {
    requests += 1;
    await beforeAnswer();
    response.setHeader('content-type', 'text/html');
    response.end(`<a href="${STREAM_BASE_URL}dG9rZW4=">listen</a>`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    env: { PROVIDER_TOKEN_URL: `http://127.0.0.1:${port}/secure/audio`, STREAM_BASE_URL },
    get requests() {
      return requests;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

import { randomBytes } from 'node:crypto';
import { openDatabase } from '../../../server/database/database.ts';
import { createServices, type Services } from '../../../server/services.ts';
import { verifyPassword } from '../../../server/signIn/password.ts';
import { jwtSecrets } from '../../../server/signIn/signedJwt.ts';
import { tokenHashOf } from '../../../server/streamTokens/tokenLedger.ts';
import { PATIENCE_MS } from '../../support/patientDatabase.ts';
import { STREAM_BASE_URL } from '../../support/testApp.ts';
import { createTestDatabase } from '../../support/testDatabase.ts';
import { runAccountHere } from '../cli/runAccount.ts';
import { installQueryGate } from './queryGate.ts';
import type { State } from './state.ts';

const NINE_PM = Date.UTC(2026, 10, 23, 21);
const PATIENTLY = {
  connectTimeoutMs: PATIENCE_MS,
  queryTimeoutMs: PATIENCE_MS,
  transactionTimeoutMs: PATIENCE_MS,
};

/** A credential that somebody was handed and may send: a session's JWT, for a tool or in a cookie, or a key. */
export type Credential = { kind: 'JWT' | 'COOKIE' | 'TOOL' | 'PLAYER'; text: string };

/** One server, and the operator beside it, with connections of their own. */
export type Instance = Pick<Services, 'signIn' | 'sessions' | 'keySessions'> & {
  services: Services;
  prisma: ReturnType<typeof openDatabase>['prisma'];
  runCommand(args: string[]): ReturnType<typeof runAccountHere>;
};

export async function openTwoInstances() {
  const own = await createTestDatabase();
  const databases = [0, 1, 2].map(() => openDatabase(own.url, PATIENTLY));
  const gate = await installQueryGate(own.url);

  async function begin() {
    const [{ prisma }] = databases as [(typeof databases)[0]];
    await prisma.$executeRaw`TRUNCATE accounts, deleted_accounts, notices, audit_lines, token_records CASCADE`;
    const secrets = jwtSecrets(randomBytes(32).toString('hex'));
    let ms = NINE_PM;
    // Less than a second, since some sign-ins fall into one second.
    const clock = () => {
      ms += 400;
      return new Date(ms);
    };
    let tokens = 0;
    const provider = {
      async fetchToken() {
        tokens += 1;
        return `token-${tokens}`;
      },
      close: async () => {},
    };
    const [first, second, observer] = databases.map(({ prisma }): Instance => {
      const services = createServices({
        prisma,
        secrets,
        provider,
        clock,
        streamBaseUrl: STREAM_BASE_URL,
        signIn: { maxWaitMs: PATIENCE_MS },
      });
      const opened = { prisma, variable: 'DATABASE_URL', close: async () => {} };
      const openDatabase = async () => opened;
      return {
        ...services,
        services,
        prisma,
        runCommand: (args) => runAccountHere(args, { clock, openDatabase }),
      };
    }) as [Instance, Instance, Instance];
    const passwordOf = new Map<string, string>();
    const isOpen = async ({ kind, text }: Credential) =>
      kind === 'JWT' || kind === 'COOKIE'
        ? (await observer.sessions.find(text)) !== null
        : (await observer.keySessions.find(kind, text, CLIENT)) !== null;
    const handedOut: Credential[] = [];

    return {
      instances: [first, second] as const,
      runInterleaved: gate.runInterleaved,
      handedOut,
      async look(possible: readonly State[], tokens: readonly string[]) {
        const { prisma } = observer;
        const [rows, notice, audit, recorded, open] = await Promise.all([
          prisma.account.findMany({ include: { keys: true } }),
          prisma.notice.findFirst(),
          prisma.auditLine.findMany(),
          prisma.tokenRecord.count({ where: { tokenHash: { in: tokens.map(tokenHashOf) } } }),
          Promise.all(handedOut.map(isOpen)),
        ]);
        const accounts: Record<string, unknown> = {};
        for (const { username, disabled, validUntil, passwordHash, keys } of rows) {
          for (const { accounts } of possible) {
            const password = accounts[username]?.password;
            if (password === undefined || passwordOf.has(passwordHash)) continue;
            if (await verifyPassword(passwordHash, password)) passwordOf.set(passwordHash, password);
          }
          const password = passwordOf.get(passwordHash);
          const keyNames = keys.map(({ name }) => name).sort();
          accounts[username] = { disabled, until: validUntil?.toISOString() ?? null, password, keyNames };
        }
        return {
          accounts,
          notice: notice?.text ?? null,
          audit: audit.map(({ command, username }) => `${command} ${username}`).sort(),
          open: handedOut.map(({ kind }, index) => `${kind} ${open[index]}`),
          isRecorded: recorded === tokens.length,
        };
      },
    };
  }

  return {
    begin,
    async close() {
      await gate.close();
      await Promise.all(databases.map((database) => database.close()));
      await own.drop();
    },
  };
}

export const CLIENT = { address: '203.0.113.7', log: { info: () => {}, warn: () => {} } };

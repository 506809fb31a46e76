import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { freePort } from './freePort.ts';
import { requirePgbouncer } from './testTools.ts';

export type Pgbouncer = {
  /** The address of the database behind it. */
  url: string;
  close(): Promise<void>;
};

/** Ends it and leaves nothing behind once its input ends, which comes at the latest with the end of our process. */
const RUN = `
  "$1" $3 -q "$2/pgbouncer.ini" &
  cat > /dev/null
  kill -INT $!
  wait $!
  rm -rf "$2"
`;

/** As root it would not run. */
const AS_ANOTHER_USER = process.getuid?.() === 0 ? '-u nobody' : '';

/**
 * PgBouncer with the configuration that we recommend (`docs/pgbouncer.ini`) in front of a database.
 * @param port where PostgreSQL is reached, if not where the address says
 * @param changes lines of the configuration, each with what stands there instead
 */
export async function startPgbouncer(
  databaseUrl: string,
  { port, changes = {} }: { port?: number; changes?: Record<string, string> } = {},
): Promise<Pgbouncer> {
  const program = requirePgbouncer();
  const behind = new URL(databaseUrl);
  const url = new URL(databaseUrl);
  url.port = String(await freePort());
  const folder = await mkdtemp(path.join(tmpdir(), 'audio-oficial-premium-pgbouncer-'));
  await chmod(folder, 0o711); // root's runs as another user
  const userlist = path.join(folder, 'userlist.txt');
  // Not the password: with that, PgBouncer works out the secret anew for each connection.
  const [{ secret }] = await query<{ secret: string }>(
    databaseUrl,
    'SELECT rolpassword AS secret FROM pg_authid WHERE rolname = current_user',
  );
  await writeFile(userlist, `"${behind.username}" "${secret}"\n`);
  let conf = await readFile(path.join(PROJECT_ROOT, 'docs', 'pgbouncer.ini'), 'utf8');
  const name = behind.pathname.slice(1);
  for (const [ours, tests] of Object.entries({
    'audio = host=127.0.0.1 port=5432 dbname=audio': `${name} = host=127.0.0.1 port=${port ?? behind.port} dbname=${name}`,
    'listen_port = 6432': `listen_port = ${url.port}`,
    '/etc/pgbouncer/userlist.txt': userlist,
    '[pgbouncer]': '[pgbouncer]\nunix_socket_dir =',
    ...changes,
  })) {
    if (!conf.includes(ours)) throw new Error(`docs/pgbouncer.ini does not say ${ours}`);
    conf = conf.replace(ours, tests);
  }
  await writeFile(path.join(folder, 'pgbouncer.ini'), conf);

  const child = spawn('sh', ['-c', RUN, 'sh', program, folder, AS_ANOTHER_USER], {
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const exit = once(child, 'exit');
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const answer = () => query(url.href, 'SELECT 1 AS one').catch(() => said);
  await expect.poll(answer, { timeout: 20_000, interval: 20 }).toEqual([{ one: 1 }]);
  return {
    url: url.href,
    async close() {
      child.stdin.end();
      await exit;
    },
  };
}

async function query<Row extends object>(url: string, statement: string): Promise<[Row, ...Row[]]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<Row>(statement);
    const [first, ...others] = rows;
    if (first === undefined) throw new Error('PostgreSQL answers with nothing');
    return [first, ...others];
  } finally {
    await client.end();
  }
}

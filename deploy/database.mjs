#!/usr/bin/env node
// /usr/local/sbin/audio-database: runs a program of PostgreSQL on the database that the instances use.
//   audio-database [--superuser] COMMAND…
// The address is DATABASE_DIRECT_URL, or else DATABASE_URL, from the environment, or where that has none from
// /etc/audio.env. COMMAND gets it as variables of libpq: the list of processes shows arguments. --superuser runs COMMAND
// as the superuser of this machine's PostgreSQL, if that is the instances' server. Exit codes: those of COMMAND; 1 it
// could not be run, 78 a wrong configuration.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, fstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';

const VARIABLES = '/etc/audio.env';
const SYSTEM_ROOTS = '/etc/ssl/certs/ca-certificates.crt';
const WRONG_CONFIGURATION = 78;
/** COMMAND gets these and libpq's, and none of the instances' secrets. */
const HANDED_ON = /^(?:PATH|HOME|USER|TERM|TZ|TMPDIR|LANG|LC_\w+)$/;
/** Differs between any two running servers, also between a server and its copy or standby. */
const IDENTITY = 'SELECT extract(epoch FROM pg_postmaster_start_time())';
const AS_POSTGRES = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', '--'];

const environment = process.env;
const isSuperuser = process.argv[2] === '--superuser';
const command = process.argv.slice(isSuperuser ? 3 : 2);
if (command.length === 0) fail(2, 'Usage: audio-database [--superuser] COMMAND…');

const variable = environment.DATABASE_DIRECT_URL ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
if (environment[variable]) run(...commandOnDatabase());
else if (environment.AUDIO_VARIABLES)
  fail(WRONG_CONFIGURATION, `${VARIABLES} cannot be read, or names no DATABASE_URL`);
else run(withVariables(), environment);

/** Returns the command that runs this one with the variables of the file, as systemd reads them. */
function withVariables() {
  const options = ['--pipe', '--pty', '--quiet', '--collect', '--same-dir', '--description=audio-database'];
  const variables = [`--property=EnvironmentFile=-${VARIABLES}`, `--setenv=AUDIO_VARIABLES=${VARIABLES}`];
  const words = process.argv.slice(1).map((word) => word.replaceAll('$', '$$$$'));
  return ['systemd-run', ...options, ...variables, ...words];
}

function commandOnDatabase() {
  const address = libpqVariables(environment[variable]);
  const { PGHOST = '', PGPORT = '', PGDATABASE = '', PGPASSWORD } = address;
  const isSocket = PGHOST.startsWith('/');
  const handedOn = Object.fromEntries(Object.entries(environment).filter(([name]) => HANDED_ON.test(name)));
  const byAddress = { ...handedOn, ...address };
  const bySocket = { ...handedOn, ...(isSocket && { PGHOST }), PGPORT, PGDATABASE, PGUSER: 'postgres' };
  // PostgreSQL may let the instances' user in by its name alone (peer), and refuses root.
  if (isSocket && PGPASSWORD === undefined) return [[...AS_POSTGRES, ...command], bySocket];
  if (!isSuperuser) return [command, byAddress];
  // The database may not exist yet.
  const wanted = identity([], byAddress) ?? identity([], { ...byAddress, PGDATABASE: 'postgres' }, 'inherit');
  if (wanted === null)
    fail(1, `${variable} leads to no server that answers, so nothing was done as its superuser`);
  if (identity(AS_POSTGRES, { ...bySocket, PGDATABASE: 'postgres' }) !== wanted) {
    fail(
      WRONG_CONFIGURATION,
      `The server of ${variable} is not on this machine, or the user postgres may not sign in there as its superuser`,
    );
  }
  return [[...AS_POSTGRES, ...command], bySocket];
}

/**
 * Returns an address as pg reads it, so that libpq does what the instances do. Any part of a wrong address may be the
 * password, so none is repeated.
 */
function libpqVariables(text) {
  if (!URL.canParse(text)) refuseAddress();
  const url = new URL(text);
  const { pathname, hash, search, searchParams } = url;
  const isWhole = /^\/[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(pathname) && hash === '' && !search.includes('@');
  if (!/^postgres(ql)?:$/.test(url.protocol) || !isWhole) refuseAddress();
  const given = (name) => searchParams.get(name) || undefined;
  const address = {
    PGHOST:
      given('host') || decoded(url.hostname.replace(/^\[(.+)\]$/, '$1')) || environment.PGHOST || 'localhost',
    PGPORT: given('port') || url.port || environment.PGPORT || '5432',
    PGUSER: given('user') || decoded(url.username) || environment.PGUSER,
    PGPASSWORD: given('password') || decoded(url.password) || environment.PGPASSWORD,
    PGDATABASE: pathname.slice(1),
    ...encryption(given),
  };
  return Object.fromEntries(Object.entries(address).filter(([, value]) => value));
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return refuseAddress();
  }
}

/** pg verifies certificates in all modes but these, by Node's roots; libpq by none that are not named. */
function encryption(given) {
  const files = ['sslrootcert', 'sslcert', 'sslkey'].filter(given);
  const mode = given('sslmode') ?? (files.length > 0 || given('ssl') ? 'verify-full' : environment.PGSSLMODE);
  if (mode === undefined || mode === 'disable') return { PGSSLMODE: mode };
  const isLibpqs = given('uselibpqcompat') === 'true';
  const isVerified = mode !== 'no-verify' && !isLibpqs;
  return {
    PGSSLMODE: isVerified ? 'verify-full' : mode.replace('no-verify', 'require'),
    PGSSLROOTCERT: given('sslrootcert') ?? (isVerified ? privateFile('roots', nodeRoots()) : undefined),
    PGSSLCERT: given('sslcert'),
    // libpq refuses one that its group may read.
    PGSSLKEY: given('sslkey') && privateFile('key', readFileSync(given('sslkey'))),
  };
}

function nodeRoots() {
  const files = [SYSTEM_ROOTS, environment.NODE_EXTRA_CA_CERTS ?? ''].filter(existsSync);
  return [...tls.rootCertificates, ...files.map((file) => readFileSync(file, 'utf8'))].join('\n');
}

function privateFile(name, content) {
  const folder = mkdtempSync(path.join(tmpdir(), 'audio-database-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  const file = path.join(folder, name);
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}

/** Returns what tells a server from all others, or null if it cannot be asked. */
function identity(runner, env, stderr = 'ignore') {
  const psql = [
    'psql',
    '--no-psqlrc',
    '--no-password',
    '--no-align',
    '--tuples-only',
    `--command=${IDENTITY}`,
  ];
  const [program, ...args] = [...runner, ...psql];
  const { status, stdout } = spawnSync(program, args, {
    env: { ...env, PGCONNECT_TIMEOUT: '10' },
    stdio: ['ignore', 'pipe', stderr],
    encoding: 'utf8',
    timeout: 60_000,
  });
  return status === 0 ? stdout : null;
}

function run([program, ...args], env) {
  const child = spawn(program, args, { env, stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // A terminal sends it to COMMAND too.
  process.on('SIGINT', () => {});
  child.on('error', ({ code }) => fail(code === 'ENOENT' ? 127 : 126, `${program} cannot be run (${code})`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function refuseAddress() {
  fail(
    WRONG_CONFIGURATION,
    `${variable} must end in the name of a database, of letters, digits and _.- only, and no comment, with the password percent-encoded: postgresql://user:password@host/database`,
  );
}

function fail(code, message) {
  const { dev, ino } = fstatSync(2);
  // The journal files a line that begins with <3> as an error.
  console.warn(`${environment.JOURNAL_STREAM === `${dev}:${ino}` ? '<3>' : ''}${message}`);
  process.exit(code);
}

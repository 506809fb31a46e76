import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import net, { isIPv6 } from 'node:net';
import pg from 'pg';
import { OperatorError } from '../errors.ts';

const PERCENT_ENCODE =
  'must percent-encode in user and password every character but letters, digits and -._~, as %23 for #';
const PORT = 'must have a port from 1 to 65535';
const BLANK = 'must hold no blank, and no other character that cannot be seen';
const QUOTES = 'must stand without quotes around it';

/** Ends in the auth-sign parameter: `https://radio.example/live?wmsAuthSign=`. The group captures its name. */
const STREAM_BASE_URL_PATTERN = /^[^#]*[?&]([^?&=#\s]+)=$/;

/** Fails in `check`, and is a warning at a start. */
export const CREDENTIALS_IN_ADDRESS =
  'STREAM_BASE_URL holds a user name or password, so no browser plays it, and every partner reads them: ask the provider for an address without';

const EVERY_ADDRESS = ['0.0.0.0', '::', '0'];

/** How long an address of a host is tried before the next one: IPv6 may lead nowhere, and IPv4 be slow. */
export const ADDRESS_TIMEOUT_MS = 600;

export function databaseUrlFault(url: string): string | null {
  const form = unknownForm(url) ?? quotesFault(url);
  if (form !== null) return form;
  if (!/^postgres(ql)?:\/\//i.test(url)) return 'must be a postgresql:// address';
  if (/^\w+:\/\/([^/?#]*@)?([/?#:]|$)/.test(url)) {
    return 'must name a host, localhost for a socket too: postgresql://user:password@host/database';
  }
  const [, hosts = ''] = /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url) ?? [];
  if (hosts.includes(',')) return 'must name one host alone: the primary, or a name that always leads to it';
  const [, port] = /:(\d+)$/.exec(hosts) ?? [];
  if (port !== undefined && !isPort(Number(port))) return PORT;
  // A reserved character that is not encoded cuts the address short.
  if (!URL.canParse(url) || new URL(url).hash !== '') return PERCENT_ENCODE;
  return parameterFault(url, new URL(url).searchParams);
}

export function httpUrlFault(url: string): string | null {
  const fault = textFault(url);
  if (fault !== null) return fault;
  if (!/^https?:/i.test(url)) return 'must begin with http:// or https://';
  return URL.canParse(url)
    ? null
    : 'must name a host after http:// or https://, as https://media.example/audio';
}

export function streamBaseUrlFault(url: string): string | null {
  const fault = httpUrlFault(url);
  if (fault !== null || STREAM_BASE_URL_PATTERN.test(url)) return fault;
  return STREAM_BASE_URL_PATTERN.test(url.replace(/=[^?&#]*$/, '='))
    ? 'must end at "=", without a token after it'
    : 'must end in the auth-sign parameter and "=", as https://media.example/live?wmsAuthSign=';
}

export function hostFault(host: string, portVariable: string): string | null {
  if (host.includes('/')) return 'must be a name or an IP address alone, without http:// and path';
  if (/^[^:]*:\d+$/.test(host) || /\]:\d+$/.test(host)) {
    return `must be a name or an IP address alone, without a port, which is ${portVariable}`;
  }
  if (host.startsWith('[')) return 'must be an IPv6 address without brackets';
  return /^[\w.:-]+$/.test(host) ? null : 'must be a host name, with ñ in its xn-- form, or an IP address';
}

export function authSignParameterOf(streamBaseUrl: string): string {
  const name = STREAM_BASE_URL_PATTERN.exec(streamBaseUrl)?.[1];
  if (name === undefined) throw new Error('The stream base address does not end in a parameter');
  return name;
}

/** An address that goes into headers and commands: the host in its `xn--` form, other letters percent-encoded. */
export function asciiUrl(url: string): string {
  // An address in ASCII is used exactly as it was written.
  return /^[\x21-\x7e]*$/.test(url) ? url : new URL(url).href;
}

export function holdsCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

export function isEveryAddress(host: string): boolean {
  return EVERY_ADDRESS.includes(host);
}

export function urlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/** Looks the host up before anything is opened; otherwise an unknown name would look like a fault of the database. */
export async function requireKnownHost(variable: string, host: string): Promise<void> {
  await lookup(host).catch(() => {
    throw new OperatorError(`${variable} is ${host}, which is not an address or name of this machine.`);
  });
}

export function explainListenError(error: unknown, variables: { host: string; port: string }): string {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use: stop what listens there, or choose another with ${variables.port}.`;
  }
  if (code === 'EACCES') {
    return `Port ${port} needs more rights than this user has: choose another with ${variables.port}.`;
  }
  return `Cannot listen there (${code}): check ${variables.host} and ${variables.port}.`;
}

/** Node's own 250 ms are less than a slow network takes to connect (tests/deploy/slowNetwork.test.ts). */
export function allowSlowAddresses(): void {
  net.setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_TIMEOUT_MS);
}

function unknownForm(url: string): string | null {
  if (/^jdbc:/i.test(url)) return 'must be written without "jdbc:", with user:password@ before the host';
  const [, driver] = /^postgres(?:ql)?(\+\w+):\/\//i.exec(url) ?? [];
  if (driver !== undefined) return `must be written without "${driver}", as postgresql://`;
  if (/^prisma(\+\w+)?:/i.test(url)) return 'must be the postgresql:// address of PostgreSQL itself';
  if (/^\s*\w+\s*=/.test(url)) {
    return 'must be an address, not as a list of keywords: postgresql://user:password@host/database';
  }
  return null;
}

/** Looks at the text as it stands: `URL` would drop blanks that players keep. */
function textFault(url: string): string | null {
  return quotesFault(url) ?? (/[\s\p{Cc}]/u.test(url) ? BLANK : null);
}

function quotesFault(url: string): string | null {
  return /^["'`].*["'`]$/s.test(url) ? QUOTES : null;
}

function parameterFault(url: string, parameters: URLSearchParams): string | null {
  // Prisma's addresses may name `public`; any other schema would be silently ignored.
  if (!['public', null].includes(parameters.get('schema'))) {
    return 'must not name a schema: the tables are in public, so give each use a database of its own';
  }
  const files = ['sslrootcert', 'sslcert', 'sslkey'].flatMap((name) => parameters.get(name) || []);
  if (!files.every(isReadable)) {
    return (
      'must name by sslrootcert, sslcert and sslkey files that can be read ' +
      '("system" is not a file: leave it out for the roots of Node)'
    );
  }
  try {
    return isPort(new pg.Client({ connectionString: url }).port) ? null : PORT;
  } catch {
    return PERCENT_ENCODE;
  }
}

function isPort(port: number): boolean {
  return port > 0 && port <= 65_535;
}

function isReadable(file: string): boolean {
  try {
    readFileSync(file);
    return true;
  } catch {
    return false;
  }
}

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { domainToASCII } from 'node:url';
import { asciiUrl, holdsCredentials } from '../../config/addresses.ts';
import { OperatorError } from '../../errors.ts';
import type { Finding } from './checkContext.ts';

const NGINX_CONF = '/etc/nginx/nginx.conf';
/** nginx's own, where a cache line has 64 bytes. */
const DEFAULT_BUCKET = '64';
/** Bytes of a bucket of nginx's hash that hold no letter of the name. */
const BESIDE_NAME = 18;

/** Returns the names in `PUBLIC_HOST`, which may hold several as nginx accepts them, as browsers send them. */
export function publicHosts({ PUBLIC_HOST = '' }: NodeJS.ProcessEnv): string[] {
  const names = PUBLIC_HOST.split(/\s+/).filter(Boolean);
  return names.map((name) => domainToASCII(name) || name);
}

export function hostNamesFound(env: NodeJS.ProcessEnv, root: string): Finding | null {
  const { PUBLIC_HOST = '' } = env;
  const hosts = publicHosts(env);
  if (/[/:,]/.test(PUBLIC_HOST)) {
    throw new OperatorError(
      'nginx compares it with the name that browsers send, so it closes every connection: write names alone, without https://, port and path, with blanks between',
    );
  }
  if (isBeyondAscii(PUBLIC_HOST)) {
    throw new OperatorError(
      `browsers send a name with such letters in another form, so nginx closes every connection: write ${hosts.join(' ')}`,
    );
  }
  return findTooLongName(hosts, root);
}

export function streamAddressFound({ STREAM_BASE_URL = '' }: NodeJS.ProcessEnv): Finding | null {
  if (!isBeyondAscii(STREAM_BASE_URL) || holdsCredentials(STREAM_BASE_URL)) return null;
  return {
    warning: `it holds letters beyond ASCII, so another form is used: write ${asciiUrl(STREAM_BASE_URL)}`,
  };
}

function findTooLongName(hosts: string[], root: string): Finding | null {
  const length = Math.max(0, ...hosts.map((host) => host.length));
  let conf: string;
  try {
    conf = readFileSync(path.join(root, NGINX_CONF), 'utf8');
  } catch {
    return null;
  }
  const [, bucket = DEFAULT_BUCKET] = /^\s*server_names_hash_bucket_size\s+(\d+)/m.exec(conf) ?? [];
  if (length + BESIDE_NAME <= Number(bucket)) return null;
  return {
    warning:
      `nginx does not start with a name of ${length} letters (could not build server_names_hash): replace ${NGINX_CONF} ` +
      'by deploy/nginx-main.conf, or write server_names_hash_bucket_size 512; into its http block',
  };
}

function isBeyondAscii(text: string): boolean {
  return /\P{ASCII}/u.test(text);
}

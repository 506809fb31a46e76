import { readFileSync } from 'node:fs';
import path from 'node:path';
import { domainToASCII } from 'node:url';
import { asciiUrl, holdsCredentials } from '../../config/addresses.ts';
import { OperatorError } from '../../errors.ts';
import type { CheckPart, Finding } from './checkContext.ts';

const NGINX_CONF = '/etc/nginx/nginx.conf';
/** nginx's own, where a cache line has 64 bytes. */
const DEFAULT_BUCKET = '64';
/** Bytes of a bucket of nginx's hash that hold no letter of the name. */
const BESIDE_NAME = 18;

/** Returns the names in `PUBLIC_HOST`, which may hold several as nginx accepts them, as browsers send them. */
export function publicHosts(value = ''): string[] {
  return value
    .split(/\s+/)
    .filter(Boolean)
    .map((host) => domainToASCII(host) || host);
}

/** Names the form to write where letters like ñ stand, which nginx never matches and headers cannot hold. */
export async function checkAsciiForms(
  { PUBLIC_HOST = '', STREAM_BASE_URL = '' }: NodeJS.ProcessEnv,
  checkPart: CheckPart,
): Promise<void> {
  const notAlone = PUBLIC_HOST.split(/\s+/).find((host) => /[/:,]/.test(host));
  if (notAlone !== undefined) {
    await checkPart('PUBLIC_HOST', async () => {
      throw new OperatorError(
        `nginx compares it with the name that browsers send, so it closes every connection: write names alone, without https://, port and path, with blanks between`,
      );
    });
  }
  const hosts = publicHosts(PUBLIC_HOST).join(' ');
  if (isBeyondAscii(PUBLIC_HOST)) {
    await checkPart('PUBLIC_HOST', async () => {
      throw new OperatorError(
        `browsers send a name with such letters in another form, so nginx closes every connection: write ${hosts}`,
      );
    });
  }
  if (isBeyondAscii(STREAM_BASE_URL) && !holdsCredentials(STREAM_BASE_URL)) {
    const warning = `it holds letters beyond ASCII, so another form is used: write ${asciiUrl(STREAM_BASE_URL)}`;
    await checkPart('STREAM_BASE_URL', async () => ({ warning }));
  }
}

/** Returns what to do if nginx, as this root has it, would not start by the longest of these names; else null. */
export function findTooLongName(hosts: string[], root: string): Finding | null {
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

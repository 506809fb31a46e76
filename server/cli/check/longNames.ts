import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from './checkContext.ts';

const NGINX_CONF = '/etc/nginx/nginx.conf';
/** nginx's own, where a cache line has 64 bytes. */
const DEFAULT_BUCKET = '64';
/** Bytes of a bucket of nginx's hash that hold no letter of the name. */
const BESIDE_NAME = 18;

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

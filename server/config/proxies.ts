import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { EnvHttpProxyAgent } from 'undici';

type Proxy = { variable: string; address: URL };

/** The proxies through which this machine reaches the internet; `https` is `http` unless it has one of its own. */
export type Proxies = {
  http: Proxy | null;
  https: Proxy | null;
  noProxy: string;
  /** The variables whose address cannot be used, so that no proxy is taken from them. */
  faults: string[];
};

/** The names in lower case count first, as for curl. */
export const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

export const NO_PROXIES: Proxies = { http: null, https: null, noProxy: '', faults: [] };

export const PROXY_FAULT =
  'must be the http:// or https:// address of a proxy, such as http://proxy.example:3128; unset it, or name the provider in NO_PROXY, where there is none';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

export function readProxies(env: Record<string, string | undefined>): Proxies {
  const faults: string[] = [];
  const read = (name: string): Proxy | null => {
    const variable = [name.toLowerCase(), name].find((each) => env[each]);
    if (variable === undefined) return null;
    const address = proxyAddress(env[variable] ?? '');
    if (address === null) faults.push(variable);
    return address && { variable, address };
  };
  const http = read('HTTP_PROXY');
  return { http, https: read('HTTPS_PROXY') ?? http, noProxy: env.no_proxy || env.NO_PROXY || '', faults };
}

export function proxyFor(address: URL | string, { http, https, noProxy }: Proxies): Proxy | null {
  const { protocol, hostname, port } = new URL(address);
  if (isLoopback(hostname) || noProxy === '*') return null;
  const exceptions = noProxy.split(/[,\s]/).filter(Boolean);
  const isExcepted = exceptions.some((exception) => {
    const [, host = exception, ofPort] = /^(.+):(\d+)$/.exec(exception) ?? [];
    if (ofPort !== undefined && ofPort !== (port || (protocol === 'https:' ? '443' : '80'))) return false;
    return `.${hostname}`.endsWith(`.${host.replace(/^\*?\./, '').toLowerCase()}`);
  });
  if (isExcepted) return null;
  return protocol === 'https:' ? https : http;
}

/** Returns undici's options for an address. An address of this machine is never asked through a proxy. */
export function proxyOptions(
  address: URL | string,
  { http, https, noProxy }: Proxies,
): EnvHttpProxyAgent.Options {
  const { hostname } = new URL(address);
  const own = isLoopback(hostname) ? [...LOOPBACK, hostname] : LOOPBACK;
  return {
    httpProxy: http?.address.href ?? '',
    httpsProxy: https?.address.href ?? '',
    noProxy: noProxy === '*' ? noProxy : [noProxy, ...own].join(','),
    // Sends the proxy the whole http address instead of asking for a tunnel: most open tunnels to port 443 alone.
    proxyTunnel: false,
  };
}

export function proxyName({ variable, address }: Proxy): string {
  return `the proxy ${address.origin} (${variable})`;
}

export function isLoopback(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) return ipaddr.process(bare).range() === 'loopback';
  return bare === 'localhost' || bare.endsWith('.localhost');
}

/** Reads an address without a scheme as one of http, as curl does. */
function proxyAddress(text: string): URL | null {
  const withScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const address = URL.canParse(withScheme) ? new URL(withScheme) : null;
  return address !== null && /^https?:$/.test(address.protocol) ? address : null;
}

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError, KNOWN_VARIABLES } from './config.ts';
import { PROJECT_ROOT } from './folders.ts';
import { PROXY_VARIABLES } from './proxies.ts';

const OTHER_VARIABLES = [
  ...['PUBLIC_HOST', 'POSTGRES_PASSWORD', 'POSTGRES_DATABASE', 'HTTP_PORT'],
  ...PROXY_VARIABLES,
  'NODE_EXTRA_CA_CERTS',
];

/** Node reads these from its environment before any of our code runs. */
const READ_AT_START = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'];

const BYTE_ORDER_MARK = /^\uFEFF/;

/** Lines that Node.js, systemd and Docker Compose read alike. tests/deploy/envFile.test.ts compares them. */
const COMMON_LINES = [
  // Systemd continues a comment after a backslash; Node.js 20 loses the variable after a blank line and indented comment.
  /^(#(.*[^\\])?)?$/,
  // Node.js 24 takes the next line for the value after `NAME= `.
  /^[A-Za-z_]\w*=([^\s'"`#$\\]([^\r`#$\\]*[^\s`#$\\])? *)?$/,
  /^[A-Za-z_]\w*='([^\r']*[^\r'\\])?' *$/,
  /^[A-Za-z_]\w*="[^\r"`$\\]*" *$/,
];

/** Names of this length may have two wrong letters. Shorter ones would match too much: `HOME` and `HOST`. */
const LONG_NAME = 10;

/** Variables that are set and not empty win over `.env`. */
export function loadDotEnv(folder?: string): void {
  for (const [name, value] of Object.entries(parsed(readDotEnv(folder)))) {
    if (!READ_AT_START.includes(name)) process.env[name] ||= value;
  }
}

export function unreadByNode(content: string, env: NodeJS.ProcessEnv): string[] {
  const variables = parsed(content);
  return READ_AT_START.filter((name) => variables[name] && !env[name]);
}

export function readDotEnv(folder = PROJECT_ROOT): string {
  const file = path.join(folder, '.env');
  if (!existsSync(file)) return '';
  let content: string;
  try {
    content = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8 text' : code;
    throw new ConfigError([`The file .env cannot be read (${reason}): fix or remove it.`]);
  }
  if (content.includes('\0')) throw new ConfigError(['The file .env is not text: fix or remove it.']);
  return content;
}

export function ambiguousLines(content: string): string[] {
  return content.split(/\r?\n/).flatMap((line, index) => {
    if (COMMON_LINES.some((common) => common.test(line))) return [];
    // Any other word may be a part of a secret that goes on from the line before.
    const [, name = ''] = /^\W*(?:export\s+)?(\w+)\s*=/.exec(line) ?? [];
    const isKnown = [...KNOWN_VARIABLES, ...OTHER_VARIABLES].includes(name);
    return [`line ${index + 1}${isKnown ? ` (${name})` : ''}`];
  });
}

/**
 * Returns a warning for each variable whose name differs from an unset known one by one letter (two in long names):
 * an added, missing or wrong letter, or two swapped neighbours. Ignores case.
 */
export function misspeltWarnings(env: Record<string, string | undefined>): string[] {
  const unset = KNOWN_VARIABLES.filter((name) => !env[name]);
  return Object.keys(env).flatMap((name) => {
    if (KNOWN_VARIABLES.includes(name)) return [];
    const meant = unset.find((each) => isNear(name.toUpperCase(), each, each.length < LONG_NAME ? 1 : 2));
    if (meant === undefined) return [];
    return [`Unknown variable ${name} is ignored; did you mean ${meant}?`];
  });
}

function parsed(content: string): NodeJS.Dict<string> {
  return parseEnv(content.replace(BYTE_ORDER_MARK, ''));
}

function isNear(from: string, to: string, changes: number): boolean {
  if (from === to) return true;
  if (changes === 0) return false;
  let at = 0;
  while (from[at] === to[at]) at += 1;
  const [a, b] = [from.slice(at), to.slice(at)];
  const isSwapped = a[0] === b[1] && a[1] === b[0];
  return (
    isNear(a.slice(1), b.slice(1), changes - 1) ||
    isNear(a.slice(1), b, changes - 1) ||
    isNear(a, b.slice(1), changes - 1) ||
    (isSwapped && isNear(a.slice(2), b.slice(2), changes - 1))
  );
}

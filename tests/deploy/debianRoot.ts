import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { requireTool } from '../support/testTools.ts';

/** Outside the checkout: a root takes a minute or two to make, and every clone uses the same. */
const CACHE = '/var/cache/audio-oficial-premium-test';

const SYSTEM = ['systemd', 'systemd-sysv', 'dbus', 'ca-certificates', 'procps'];
/** Those of docs/operations.md that its tested sections use, but for npm, which is not used, and its hundreds of packages. */
export const DEBIAN_13 = [...SYSTEM, 'sudo', 'nginx', 'postgresql', 'nodejs', 'curl', 'openssl'];
/** Without Node.js, which is too old there. */
export const DEBIAN_12 = SYSTEM;

/**
 * Makes the root folder of a Debian with these packages, or takes the one that an earlier test made.
 * @throws Error that says what this machine lacks
 */
export function debianRoot(suite: 'bookworm' | 'trixie', packages: string[]): string {
  if (process.getuid?.() !== 0) throw new Error('Only root can boot a container with systemd.');
  const root = path.join(CACHE, suite);
  const record = path.join(root, 'packages.txt');
  const wanted = packages.join(',');
  if (existsSync(record) && readFileSync(record, 'utf8') === wanted) return root;
  const half = `${root}.half`;
  for (const folder of [half, root]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  execFileSync(
    requireTool('debootstrap'),
    ['--variant=minbase', `--include=${wanted}`, suite, half, ...mirror()],
    { stdio: 'ignore' },
  );
  writeFileSync(path.join(half, 'packages.txt'), wanted);
  renameSync(half, root);
  return root;
}

/** The one that this machine's apt uses; without it debootstrap takes its own. */
function mirror(): string[] {
  const targets = ['indextargets', '--format', '$(REPO_URI)', 'Component: main'];
  return execFileSync('apt-get', targets, { encoding: 'utf8' }).split('\n').slice(0, 1).filter(Boolean);
}

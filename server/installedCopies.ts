import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from './config/folders.ts';

/** Files that docs/operations.md copies out of a release's folder, so that a new release does not replace them. */
const COPIES: ReadonlyArray<{ source: string; place: string }> = [
  { source: 'deploy/backup.sh', place: '/usr/local/sbin/audio-backup' },
  { source: 'deploy/monitor.sh', place: '/usr/local/bin/audio-monitor' },
  { source: 'docs/examples/token.sh', place: '/usr/local/bin/audio-token' },
  ...[
    'audio@.service',
    'audio-alarm@.service',
    'audio-backup.service',
    'audio-backup.timer',
    'audio-monitor.service',
    'audio-monitor.timer',
  ].map((name) => ({ source: `deploy/${name}`, place: `/etc/systemd/system/${name}` })),
  { source: 'deploy/nginx.conf', place: '/etc/nginx/conf.d/audio.conf' },
  { source: 'deploy/nginx-main.conf', place: '/etc/nginx/nginx.conf' },
  { source: 'deploy/nginx-https.conf', place: '/etc/nginx/audio.d/nginx-https.conf' },
  { source: 'deploy/pgbouncer.ini', place: '/etc/pgbouncer/pgbouncer.ini' },
  { source: 'deploy/alerts.yml', place: '/etc/prometheus/audio-alerts.yml' },
];

/** Lines of `sha256sum`, of the files of each release before this one, as `comparable` returns them. */
export const EARLIER_RELEASES = 'deploy/earlier-releases.sha256';

export const RELEASE_LINE = /^[#;] Release (\d+)\.(\d+)\.(\d+)$/m;
/** Of deploy/nginx.conf, in which every installation writes its own name and addresses. */
const SERVER_NAME = /^( *server_name )(?!localhost;)(.+)(;)$/m;
const INSTANCES = /(?:^ *server \S+ max_fails=0;\n)+/m;
/** Removed where the kernel has no IPv6. */
const IPV6_LISTENER = /^ *listen \[::\].*\n/gm;

const COMMENT = /^\s*[#;].*\n/gm;

export type InstalledCopy = {
  place: string;
  /**
   * `earlier`: as an earlier release had it; `earlierAndChanged`: of an earlier release, and changed here, or of a
   * release that is not known; `ours`: as this release has it, or changed here since.
   */
  state: 'ours' | 'earlier' | 'earlierAndChanged' | 'unreadable';
  /** This release's file, with the names and addresses of the installed one. */
  wanted: string;
};

/**
 * Returns the installed copies, and whether they are of this release.
 * @param root - of the machine's files
 * @param release - the folder of this release
 */
export function installedCopies(root: string, release = PROJECT_ROOT): InstalledCopy[] {
  const earlier = new Set(readIfThere(path.join(release, EARLIER_RELEASES))?.match(/^[\da-f]{64}(?= )/gm));
  return COPIES.flatMap(({ source, place }): InstalledCopy[] => {
    const ours = readIfThere(path.join(release, source));
    if (ours === null) return [];
    let installed: string | null;
    try {
      installed = readIfThere(path.join(root, place));
    } catch {
      return [{ place, state: 'unreadable', wanted: ours }];
    }
    if (installed === null || !isFromRelease(installed)) return [];
    const isSame = comparable(installed) === comparable(ours);
    const isOlder = releaseOf(installed) < releaseOf(ours);
    const isKnown = earlier.has(checksum(installed));
    const state = isSame || !isOlder ? 'ours' : isKnown ? 'earlier' : 'earlierAndChanged';
    return [{ place, state, wanted: forThisSite(ours, installed) }];
  });
}

/** Returns the places of the copies that can be read, are older than this release and differ from its files. */
export function outdatedCopies(root: string, release = PROJECT_ROOT): string[] {
  return installedCopies(root, release)
    .filter(({ state }) => state === 'earlier' || state === 'earlierAndChanged')
    .map(({ place }) => place);
}

/** Returns the SHA-256 of what a file does: without its comments, and the names and addresses of an installation. */
export function checksum(text: string): string {
  return createHash('sha256').update(comparable(text)).digest('hex');
}

export const sourcesOfCopies = COPIES.map(({ source }) => source);

function comparable(text: string): string {
  return text
    .replace(COMMENT, '')
    .replace(IPV6_LISTENER, '')
    .replace(SERVER_NAME, '$1NAME$3')
    .replace(INSTANCES, 'INSTANCES\n');
}

function forThisSite(ours: string, installed: string): string {
  const [instances] = INSTANCES.exec(installed) ?? [];
  const [, , name] = SERVER_NAME.exec(installed) ?? [];
  let text = ours;
  if (instances !== undefined) text = text.replace(INSTANCES, () => instances);
  if (name !== undefined)
    text = text.replace(SERVER_NAME, (_line, before, _name, after) => before + name + after);
  const hasIpv6 = installed.match(IPV6_LISTENER) !== null;
  return hasIpv6 ? text : text.replace(IPV6_LISTENER, '');
}

/** Another nginx.conf or pgbouncer.ini may lie at the same place. */
function isFromRelease(text: string): boolean {
  return RELEASE_LINE.test(text) || /deploy\/|docs\/examples\/|Audio Oficial Premium|audio-alarm/.test(text);
}

/** Returns a number that grows with the release; 0 for 2.0.1 and before, whose files do not name it. */
function releaseOf(text: string): number {
  const [, major = 0, minor = 0, patch = 0] = RELEASE_LINE.exec(text) ?? [];
  return (Number(major) * 1_000 + Number(minor)) * 1_000 + Number(patch);
}

/** Returns null if there is no such file. */
function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

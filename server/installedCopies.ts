import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from './config/folders.ts';

/** Files that docs/operations.md copies out of a release's folder, so that a new release does not replace them. */
const COPIES: ReadonlyArray<{ source: string; place: string }> = [
  { source: 'deploy/backup.sh', place: '/usr/local/sbin/audio-backup' },
  { source: 'deploy/certificate.sh', place: '/usr/local/sbin/audio-certificate' },
  { source: 'deploy/watch.sh', place: '/usr/local/sbin/audio-watch' },
  { source: 'deploy/monitor.sh', place: '/usr/local/bin/audio-monitor' },
  { source: 'docs/examples/token.sh', place: '/usr/local/bin/audio-token' },
  ...[
    'audio@.service',
    'audio-alarm@.service',
    'audio-backup.service',
    'audio-backup.timer',
    'audio-certificate@.service',
    'audio-certificate@.timer',
    'audio-monitor.service',
    'audio-monitor.timer',
    'audio-watch@.service',
  ].map((name) => ({ source: `deploy/${name}`, place: `/etc/systemd/system/${name}` })),
  { source: 'deploy/nginx.conf', place: '/etc/nginx/conf.d/audio.conf' },
  { source: 'deploy/nginx-main.conf', place: '/etc/nginx/nginx.conf' },
  { source: 'deploy/nginx-https.conf', place: '/etc/nginx/audio.d/nginx-https.conf' },
  { source: 'deploy/needrestart.conf', place: '/etc/needrestart/conf.d/audio.conf' },
  { source: 'deploy/pgbouncer.ini', place: '/etc/pgbouncer/pgbouncer.ini' },
  { source: 'deploy/alerts.yml', place: '/etc/prometheus/audio-alerts.yml' },
];

/** Lines `SHA-256  RELEASE  FILE`: what each file was since which release. The sums are those of `checksum`. */
export const EARLIER_RELEASES = 'deploy/earlier-releases.txt';

export const RELEASE_LINE = /^[#;] Release (\d+\.\d+\.\d+)$/m;
/** Lines of deploy/nginx.conf in which every installation writes its own name and addresses. */
const SERVER_NAME = /^( *server_name )(?!(?:localhost|_);)(.+?)((?: "")?;)$/m;
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
  const earlier = readEarlier(readIfThere(path.join(release, EARLIER_RELEASES)) ?? '');
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
    const [sum, ourSum] = [checksum(installed), checksum(ours)];
    const former = earlier.filter((entry) => entry.source === source);
    const isOlder = (releaseIn(installed) ?? 0) < (releaseIn(ours) ?? 0);
    const isOld = isOlder && sum !== ourSum && wasOtherwise(former, releaseIn(installed), ourSum);
    const isKnown = former.some((entry) => entry.sum === sum);
    const state = !isOld ? 'ours' : isKnown ? 'earlier' : 'earlierAndChanged';
    return [{ place, state, wanted: forThisSite(ours, installed) }];
  });
}

export function outdatedCopies(copies: InstalledCopy[]): string[] {
  return copies
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

export function withRelease(list: string, release: string, contentOf: (source: string) => string): string {
  const earlier = readEarlier(list);
  const lines = COPIES.map(({ source }) => ({ source, sum: checksum(contentOf(source)) }))
    .filter(({ source, sum }) => earlier.findLast((entry) => entry.source === source)?.sum !== sum)
    .map(({ source, sum }) => `${sum}  ${release}  ${source}\n`);
  return list + lines.join('');
}

type Earlier = { sum: string; release: number; source: string };

function readEarlier(text: string): Earlier[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [sum = '', release = '', source = ''] = line.split('  ');
      return { sum, release: releaseNumber(release), source };
    });
}

/** Returns whether a file was another one in the release of a copy, which is null where the copy does not name it. */
function wasOtherwise(former: Earlier[], release: number | null, ourSum: string): boolean {
  if (release === null) return former.some(({ sum }) => sum !== ourSum) || former.length === 0;
  const then = former.filter((entry) => entry.release <= release).at(-1);
  return then?.sum !== ourSum;
}

function releaseIn(text: string): number | null {
  const [, release] = RELEASE_LINE.exec(text) ?? [];
  return release === undefined ? null : releaseNumber(release);
}

function releaseNumber(release: string): number {
  return release.split('.').reduce((number, part) => number * 1_000 + Number(part), 0);
}

export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

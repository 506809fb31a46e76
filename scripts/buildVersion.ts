import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the version of a build: that of package.json, with the commit where it is known, from `COMMIT` or git:
 * `1.1.0+9dd1677fa3c5`; with `.changed` when files differ from the commit.
 */
export function buildVersion(root: string, env: NodeJS.ProcessEnv = process.env): string {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const commit = env.COMMIT || commitIn(root);
  return commit === null ? version : `${version}+${commit}`;
}

/** Returns null without git, and in a folder that is only a part of somebody else's repository. */
function commitIn(root: string): string | null {
  if (!existsSync(path.join(root, '.git'))) return null;
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const commit = git('rev-parse', '--short=12', 'HEAD');
    return git('status', '--porcelain', '--untracked-files=no') === '' ? commit : `${commit}.changed`;
  } catch {
    return null;
  }
}

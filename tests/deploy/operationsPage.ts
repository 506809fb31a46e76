import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../server/config/paths.ts';

const PAGE = readFileSync(path.join(PROJECT_ROOT, 'docs/operations.md'), 'utf8');

/** Shell function in place of systemctl, which enables no unit that it has not read yet. */
export const SYSTEMCTL = `
systemctl() {
  case $1 in
    daemon-reload) reloaded=yes ;;
    enable) [ -n "\${reloaded:-}" ] ;;
  esac
}
`;

/**
 * Returns the commands of a section of docs/operations.md, block by block.
 * @throws Error when the section has another number of blocks than `count`
 */
export function commandsOf(section: string, count: number): string[] {
  const text = PAGE.split('\n## ').find((part) => part.startsWith(`${section}\n`)) ?? '';
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands);
  if (blocks.length !== count) throw new Error(`"${section}" has ${blocks.length} blocks of commands`);
  return blocks;
}

/** Returns the last value of a setting in a systemd unit and the drop-ins after it, as systemd takes it. */
export function settingOf(unit: string, name: string): string {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].at(-1)?.[1] ?? '';
}

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** The processor's cores that this process may run on now. */
export function ownCores(): number[] {
  const status = readFileSync('/proc/self/status', 'utf8');
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '';
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** Keeps this process, and all that it starts from now on, to these cores. */
export async function keepTo(cores: readonly number[]): Promise<void> {
  await promisify(execFile)('taskset', ['--all-tasks', '--cpu-list', '--pid', list(cores), `${process.pid}`]);
}

/** What runs Node.js, on these cores only. */
export function nodeOn(cores?: readonly number[]): [command: string, ...args: string[]] {
  if (cores === undefined) return [process.execPath];
  return ['taskset', '--cpu-list', list(cores), process.execPath];
}

function list(cores: readonly number[]): string {
  return cores.join(',');
}

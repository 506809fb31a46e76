import { readdir, readFile } from 'node:fs/promises';

/** Linux counts in hundredths of a second. */
const MS_PER_TICK = 10;

/** Processor time so far, in ms: of a process's main thread, and of its others. */
export async function cpuTimeOf(pid: number): Promise<{ mainMs: number; othersMs: number }> {
  const mainMs = (await statOf(`/proc/${pid}/task/${pid}/stat`)).ownMs;
  return { mainMs, othersMs: (await statOf(`/proc/${pid}/stat`)).ownMs - mainMs };
}

/** Processor time so far, in ms, of a process and all that it started, those included that have ended. */
export async function cpuTimeOfFamily(pid: number): Promise<number> {
  const parent = await statOf(`/proc/${pid}/stat`);
  let sumMs = parent.ownMs + parent.endedChildrenMs;
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const child = await statOf(`/proc/${entry}/stat`).catch(() => null);
    if (child?.parent === pid) sumMs += child.ownMs;
  }
  return sumMs;
}

export async function parentOf(pid: number): Promise<number> {
  return (await statOf(`/proc/${pid}/stat`)).parent;
}

/** The fields after the name, which may hold spaces; https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html. */
async function statOf(file: string) {
  const text = await readFile(file, 'utf8');
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0, , , , , , , , , , user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields;
  return {
    parent,
    ownMs: (user + system) * MS_PER_TICK,
    endedChildrenMs: (childrenUser + childrenSystem) * MS_PER_TICK,
  };
}

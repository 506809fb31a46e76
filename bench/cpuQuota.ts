import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

export type CpuQuota = {
  /** Holds a process, with all its threads, to the quota. */
  hold(pid: number): Promise<void>;
  /** When what it held has ended. */
  remove(): Promise<void>;
};

const GROUPS = '/sys/fs/cgroup';
const PERIOD_US = 10_000;

/**
 * A control group of Linux whose processes get at most so much of a core together
 * (https://docs.kernel.org/scheduler/sched-bwc.html).
 * @param share of one core
 * @returns null where this process may make none
 */
export async function cpuQuota(name: string, share: number): Promise<CpuQuota | null> {
  const isUnified = existsSync(path.join(GROUPS, 'cgroup.controllers'));
  const folder = path.join(GROUPS, isUnified ? '' : 'cpu', `audio-bench-${process.pid}-${name}`);
  const quotaUs = Math.round(share * PERIOD_US);
  try {
    await mkdir(folder);
  } catch {
    return null;
  }
  try {
    if (isUnified) await writeFile(path.join(folder, 'cpu.max'), `${quotaUs} ${PERIOD_US}`);
    else {
      await writeFile(path.join(folder, 'cpu.cfs_period_us'), `${PERIOD_US}`);
      await writeFile(path.join(folder, 'cpu.cfs_quota_us'), `${quotaUs}`);
    }
  } catch {
    await rmdir(folder);
    return null;
  }
  return {
    hold: (pid) => writeFile(path.join(folder, 'cgroup.procs'), `${pid}`),
    remove: () => rmdir(folder),
  };
}

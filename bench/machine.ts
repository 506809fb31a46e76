import { readFileSync } from 'node:fs';
import os from 'node:os';

/** What the figures were measured on, for those who compare them with theirs. */
export function thisMachine() {
  const [firstCore] = os.cpus();
  return {
    processor: firstCore?.model.trim() || processorName() || os.arch(),
    cores: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    /** Of other work; near 0 on a quiet machine. */
    loadAtStart: Number((os.loadavg()[0] ?? 0).toFixed(2)),
  };
}

function processorName(): string | undefined {
  try {
    return /^model name\s*:\s*(.+)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

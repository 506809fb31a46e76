import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** @param folder - of an embedded PostgreSQL that runs */
export async function postmasterPid(folder: string): Promise<number> {
  const [pid] = (await readFile(path.join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n');
  return Number(pid);
}

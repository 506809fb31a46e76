import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ROOT } from '../../scripts/steps.ts';
import { nodeOn } from '../cores.ts';

const RATES = z.object({ verify: z.number(), hash: z.number() });

/** Passwords checked and hashed a second by a process that does nothing else. */
export async function bareHashRates(atOnce: number, durationMs: number, cores?: readonly number[]) {
  const [command, ...args] = nodeOn(cores);
  const program = path.join(ROOT, 'bench/signIn/bareHashProcess.ts');
  const { stdout } = await promisify(execFile)(
    command,
    [...args, '--import', 'tsx', program, String(atOnce), String(durationMs)],
    { cwd: ROOT },
  );
  return RATES.parse(JSON.parse(stdout));
}

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';
import { requireTool } from '../support/testTools.ts';

export async function composed(dotEnv: string, ...overrides: string[]) {
  const folder = temporaryFolder({ '.env': dotEnv });
  for (const file of ['compose.yaml', ...overrides]) {
    // Compose 1, which a machine may have, refuses these.
    const content = readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
    write(folder, file, content.replace(/^(?:name: audio| *start_interval: \w+)\n/gm, ''));
  }
  const files = ['compose.yaml', ...overrides].flatMap((file) => ['--file', path.join(folder, file)]);
  const { stdout } = await promisify(execFile)(
    requireTool('docker-compose'),
    [...files, '--project-directory', PROJECT_ROOT, '--env-file', path.join(folder, '.env'), 'config'],
    { env: { PATH: process.env.PATH } },
  );
  // Null where a variable is handed over if it is set, and it is not.
  const environment = z
    .record(z.string(), z.string().nullable())
    .default({})
    .transform((variables) =>
      Object.fromEntries(
        Object.entries(variables).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
      ),
    );
  return z.object({ services: z.record(z.string(), z.looseObject({ environment })) }).parse(parse(stdout))
    .services;
}

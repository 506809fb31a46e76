import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv, promisify } from 'node:util';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { ambiguousLines } from '../../server/config/dotEnv.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { requireTool } from '../support/testTools.ts';

vi.setConfig({ testTimeout: 180_000 });

const run = promisify(execFile);
const CHARACTERS = [...'abñ=#;:\'"`\\$ \t'];
const lines = fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 8 });

async function readBySystemd(files: string[]): Promise<Array<Record<string, string>>> {
  const program = path.join(import.meta.dirname, 'systemdVariables.py');
  const { stdout } = await run(requireTool('python3'), [program, ...files]);
  return JSON.parse(stdout);
}

async function readByCompose(folder: string, names: string[]): Promise<Record<string, string>> {
  const files = ['--file', path.join(folder, 'compose.yaml'), '--env-file', path.join(folder, '.env')];
  const { stdout } = await run(requireTool('docker-compose'), [...files, 'config'], {
    env: { PATH: process.env.PATH, PYTHONUTF8: '1' },
    cwd: folder,
  });
  const { environment } = parse(stdout).services.all;
  return Object.fromEntries(names.map((name) => [name, environment[name].replaceAll('$$', '$')]));
}

test('Node.js, systemd and docker-compose read what check accepts alike', async () => {
  const values = fc
    .sample(lines, { seed: 49, numRuns: 20_000 })
    // Compose 1, which a machine may have, expands more within quotes than Compose 2 does.
    .filter((value) => ambiguousLines(`NAME=${value}`).length === 0 && !/[\\$]/.test(value));
  expect(values.length).toBeGreaterThan(1_000);
  const variables = values.map((value, index) => [`VALUE_${index}`, value]);
  const names = variables.map(([name = '']) => name);
  const folder = temporaryFolder({
    '.env': `# All\n\n#\n${variables.map(([name, value]) => `${name}=${value}\n`).join('')}`,
    'compose.yaml': JSON.stringify({
      version: '3',
      services: {
        all: {
          image: 'none',
          environment: Object.fromEntries(names.map((name) => [name, `\${${name}}`])),
        },
      },
    }),
  });
  const file = path.join(folder, '.env');
  const byNode = parseEnv(readFileSync(file, 'utf8'));
  const [bySystemd] = await readBySystemd([file]);
  expect(bySystemd).toEqual(byNode);
  expect(await readByCompose(folder, names)).toEqual(byNode);
});

import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installedCopies } from '../installedCopies.ts';
import { EXIT_FAILED, EXIT_OK, runCliProcess, writeResult } from './cliProcess.ts';

const USAGE = `node dist/server/copies.js
Replaces the files that docs/operations.md copies out of a release's folder by those of this release. Where a copy was
changed, it stays, and the new file is written beside it, as FILE.new. AUDIO_ROOT is another root folder than /.`;

await runCliProcess(USAGE, takeCopies);

/** Returns 1 while a file is left that the operator has to compare. */
async function takeCopies(): Promise<number> {
  const root = process.env.AUDIO_ROOT || '/';
  let exitCode = EXIT_OK;
  const lines: string[] = [];
  for (const { place, isProgram, state, wanted } of installedCopies(root)) {
    const file = path.join(root, place);
    const mode = isProgram ? 0o755 : 0o644;
    if (state === 'earlier') {
      replace(file, wanted, mode);
      lines.push(`Replaced ${place}\n`);
    } else if (state === 'earlierAndChanged') {
      replace(`${file}.new`, wanted, mode);
      lines.push(
        `Kept ${place}, which was changed here: copy your changes into ${place}.new, and rename that to ${place}\n`,
      );
      exitCode = EXIT_FAILED;
    }
  }
  await writeResult(process.stdout, lines.join('') || 'Every copy is of this release\n');
  return exitCode;
}

/** Never leaves half a file, whatever happens meanwhile. */
function replace(file: string, content: string, mode: number): void {
  const half = `${file}.half`;
  writeFileSync(half, content, { mode });
  chmodSync(half, mode);
  renameSync(half, file);
}

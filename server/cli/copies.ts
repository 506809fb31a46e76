import {
  chmodSync,
  chownSync,
  copyFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type InstalledCopy, installedCopies, readIfThere } from '../installedCopies.ts';
import { EXIT_FAILED, EXIT_OK, runCliProcess, writeResult } from './cliProcess.ts';

const USAGE = `node dist/server/copies.js
Replaces the files that docs/operations.md copies out of a release's folder by those of this release, and keeps the
former ones beside them as FILE.old. Where a copy was changed, it stays, and the new file is written beside it as
FILE.new. AUDIO_ROOT is another root folder than /.`;

await runCliProcess(USAGE, () => takeCopies(process.env.AUDIO_ROOT || '/'));

async function takeCopies(root: string): Promise<number> {
  let exitCode = EXIT_OK;
  const copies = installedCopies(root);
  for (const copy of copies) {
    const { told, isDone } = take(copy, path.join(root, copy.place));
    if (!isDone) exitCode = EXIT_FAILED;
    if (told !== null) await writeResult(process.stdout, `${told}\n`);
  }
  const hasReplaced = copies.some(({ state }) => state !== 'ours');
  if (copies.length === 0) await writeResult(process.stdout, 'There is no copy here\n');
  else if (!hasReplaced) await writeResult(process.stdout, 'Every copy is of this release\n');
  return exitCode;
}

function take(
  { place, state, wanted }: InstalledCopy,
  file: string,
): { told: string | null; isDone: boolean } {
  try {
    switch (state) {
      case 'ours':
        return { told: null, isDone: true };
      case 'unreadable':
        return { told: `Cannot read ${place}`, isDone: false };
      case 'earlier':
        copyFileSync(file, `${file}.old`);
        replace(realpathSync(file), wanted, file);
        return { told: `Replaced ${place}`, isDone: true };
      case 'earlierAndChanged': {
        const begun = readIfThere(`${file}.new`);
        if (begun === null) replace(`${file}.new`, wanted, file);
        const told = `Kept ${place}, which was changed here: copy your changes into ${place}.new, and rename that to ${place}`;
        const half = `Left ${place} and ${place}.new, which somebody has begun to change: rename the second to ${place} when it is complete, or remove it`;
        return { told: begun === null || begun === wanted ? told : half, isDone: false };
      }
    }
  } catch (error) {
    return { told: `Cannot replace ${place} (${(error as NodeJS.ErrnoException).code})`, isDone: false };
  }
}

/** Writes a file with mode and owner of another one. Never leaves half of it, whatever happens meanwhile. */
function replace(file: string, content: string, like: string): void {
  const half = `${file}.half`;
  const { mode, uid, gid } = statSync(like);
  writeFileSync(half, content);
  chownSync(half, uid, gid);
  chmodSync(half, mode);
  renameSync(half, file);
}

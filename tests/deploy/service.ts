import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Runs a program until the shell's input ends, at the latest with the test process, then removes its folder. */
const RUN = `
  folder=$1 signal=$2
  shift 2
  "$@" &
  cat > /dev/null
  kill -"$signal" $!
  wait $!
  rm -rf "$folder"
`;

export type Service = {
  /** Everything written to standard error so far. */
  readonly errors: string;
  close(): Promise<void>;
};

/** Makes a temporary folder that other users may enter: services started as root run as another user. */
export async function makeServiceFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'audio-oficial-premium-service-'));
  await chmod(folder, 0o711);
  return folder;
}

/** Starts a program whose configuration lies in `folder`; `close` ends it by `signal` and removes the folder. */
export function startService(folder: string, signal: 'TERM' | 'INT', command: string[]): Service {
  const child = spawn('sh', ['-c', RUN, 'sh', folder, signal, ...command], {
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const exit = once(child, 'exit');
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return {
    get errors() {
      return errors;
    },
    async close() {
      child.stdin.end();
      await exit;
    },
  };
}

/** Writes a configuration of `docs/` to a file, with other text wherever one of `replacements` occurs. */
export async function writeConfig(
  file: string,
  documented: string,
  replacements: Record<string, string>,
): Promise<void> {
  let text = documented;
  for (const [before, after] of Object.entries(replacements)) {
    if (!text.includes(before)) throw new Error(`The documented configuration does not say ${before}`);
    text = text.replaceAll(before, after);
  }
  await writeFile(file, text);
}

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { launchServer, stopServer } from '../support/serverProcess.ts';

/** Makes a temporary folder that other users may enter: services started as root run as another user. */
export async function makeServiceFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'audio-oficial-premium-service-'));
  await chmod(folder, 0o711);
  return folder;
}

/** Starts a program whose configuration lies in `folder`; `close` ends it by `signal` and removes the folder. */
export function startService(
  folder: string,
  signal: 'SIGTERM' | 'SIGINT',
  [program = '', ...args]: string[],
) {
  const server = launchServer(args, {}, { program });
  return {
    get errors() {
      return server.output;
    },
    async close() {
      await stopServer(server, signal);
      await rm(folder, { recursive: true });
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

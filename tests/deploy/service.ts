import { chmod } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { launchServer, type ServerProcess, stopServer } from '../support/serverProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** Makes a temporary folder that other users may enter: services started as root run as another user. */
export async function makeServiceFolder(): Promise<string> {
  const folder = temporaryFolder();
  await chmod(folder, 0o711);
  return folder;
}

/** Starts a program that the end of the test stops by `signal`. */
export function startService(signal: 'SIGTERM' | 'SIGINT', [program = '', ...args]: string[]): ServerProcess {
  const service = launchServer(args, {}, { program });
  onTestFinished(async () => void (await stopServer(service, signal)));
  return service;
}

import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** Runs `deploy/watch.sh` with a systemctl that only notes how it is called. Returns those calls. */
export function watch(port: number): () => string[] {
  const folder = temporaryFolder({ systemctl: '#!/bin/sh\necho "$@" >> "$0.calls"\n' });
  chmodSync(path.join(folder, 'systemctl'), 0o755);
  const child = spawn(path.join(PROJECT_ROOT, 'deploy', 'watch.sh'), [String(port)], {
    env: { PATH: `${folder}:${process.env.PATH}`, RUNTIME_DIRECTORY: folder },
    stdio: 'ignore',
    detached: true,
  });
  onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'));
  const calls = path.join(folder, 'systemctl.calls');
  return () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []);
}

import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { requireTool } from '../support/testTools.ts';

/** Runs the command of `deploy/audio-watch@.service` with a systemctl that only notes how it is called. */
export function watch(port: number) {
  const folder = temporaryFolder({
    systemctl: '#!/bin/sh\necho "$@" >> "$0.calls"\n',
    curl: `#!/bin/sh\n'${requireTool('curl')}' "$@"\nstatus=$?\necho $status >> "$0.calls"\nexit $status\n`,
  });
  for (const name of ['systemctl', 'curl']) chmodSync(path.join(folder, name), 0o755);
  const unit = readFileSync(path.join(PROJECT_ROOT, 'deploy', 'audio-watch@.service'), 'utf8');
  const [, command = ''] = /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(unit) ?? [];
  const child = spawn('/bin/sh', ['-c', command.replaceAll('%i', String(port)).replaceAll('$$', '$')], {
    env: { PATH: `${folder}:${process.env.PATH}`, RUNTIME_DIRECTORY: folder },
    stdio: 'ignore',
    detached: true,
  });
  onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'));
  return (program: 'systemctl' | 'curl') => {
    const calls = path.join(folder, `${program}.calls`);
    return existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
  };
}

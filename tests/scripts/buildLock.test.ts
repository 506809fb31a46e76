import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { withBuildLock } from '../../scripts/buildLock.ts';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('a second build waits for the first', async () => {
  const folder = path.join(temporaryFolder(), 'new/folder');
  const events: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((text) => events.push(text));
  let second: Promise<unknown> = Promise.resolve();

  await withBuildLock(async () => {
    second = withBuildLock(async () => events.push('second'), folder);
    await expect.poll(() => log).toHaveBeenCalled();
    events.push('first ends');
  }, folder);
  await second;
  log.mockRestore();

  expect(events).toEqual(['Another process is building: waiting for it.', 'first ends', 'second']);
  expect(existsSync(path.join(folder, 'build.sock'))).toBe(false);
});

test('a killed build holds up no other', async () => {
  const folder = temporaryFolder();
  const script = `
    import { withBuildLock } from './scripts/buildLock.ts';
    await withBuildLock(() => process.kill(process.pid, 'SIGKILL'), ${JSON.stringify(folder)});`;
  const killed = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    cwd: PROJECT_ROOT,
  });
  await once(killed, 'exit');
  expect(existsSync(path.join(folder, 'build.sock'))).toBe(true);
  expect(await withBuildLock(async () => 'built', folder)).toBe('built');
});

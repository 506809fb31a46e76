import { expect, onTestFinished, test } from 'vitest';
import { startAccountProcess } from './runAccount.ts';

/** A lookup that is never answered, and keeps its process from ending by itself, as `getaddrinfo` does for long. */
const LOOKUP = `import dns from 'node:dns';
  dns.lookup = () => {
    setInterval(() => {}, 60_000);
    process.kill(process.pid, 'SIGINT');
  };`;

test.each([
  ['account', ['list']],
  ['migrate', []],
  ['check', []],
])('%s, interrupted while a name is looked up, ends', async (command, args) => {
  const env = {
    DATABASE_URL: 'postgresql://audio@db.example/audio',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(LOOKUP)}`,
  };
  const { child, outcome } = startAccountProcess(args, env, command);
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await outcome).toMatchObject({ exitCode: 130, remarks: expect.stringMatching(/interrupted\n$/) });
});

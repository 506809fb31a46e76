import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { nginxArguments, writeNginxConfig } from '../tests/deploy/nginxConfig.ts';
import { freePort } from '../tests/support/freePort.ts';
import { requireTool } from '../tests/support/testTools.ts';

/** Believes the benchmark's `X-Forwarded-For`, so that callers from many networks reach nginx from one machine. */
const FROM_ANY_NETWORK = 'set_real_ip_from 127.0.0.1;\nreal_ip_header X-Forwarded-For;\n';

/** Runs `work` with the URL of nginx, by `deploy/nginx.conf`, in front of these instances. */
export async function withNginx(
  instances: readonly [string, string],
  work: (url: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'audio-oficial-premium-bench-'));
  // Started as root, nginx works as another user.
  await chmod(folder, 0o711);
  const [port, httpsPort] = [await freePort(), await freePort()];
  const [one, other] = instances;
  await writeNginxConfig(folder, {
    port,
    httpsPort,
    instances: [Number(new URL(one).port), Number(new URL(other).port)],
    publicHost: '127.0.0.1',
    addition: FROM_ANY_NETWORK,
  });
  const nginx = spawn(requireTool('nginx'), nginxArguments(folder), {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.once('exit', () => nginx.kill('SIGTERM'));
  try {
    await listens(port);
    await work(`http://127.0.0.1:${port}`);
  } finally {
    nginx.kill('SIGTERM');
    if (nginx.exitCode === null) await once(nginx, 'exit');
    await rm(folder, { recursive: true });
  }
}

async function listens(port: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (tries === 100) throw error;
      await delay(50);
    } finally {
      socket.destroy();
    }
  }
}

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, vi } from 'vitest';
import { requireTool } from '../support/testTools.ts';

/**
 * A network for tests (RFC 2544), with this process at one end and the booted machine at the other. It and the name are
 * this process's own, since two runs may go on at once.
 */
const NETWORK = `198.18.${(process.pid >> 6) % 256}`;
const FIRST = (process.pid % 64) * 4;
export const HERE = `${NETWORK}.${FIRST + 1}`;
const THERE = `${NETWORK}.${FIRST + 2}`;
/** Short, since a network device has no more than 15 letters. */
const NAME = `audio${process.pid}`;
const WIRE = `ve-${NAME}`;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export type BootedMachine = Awaited<ReturnType<typeof bootMachine>>;

/**
 * Boots a copy of a root folder with systemd as its first process and a network of its own. `prepare` may write files
 * into the copy before.
 */
export async function bootMachine(root: string, prepare: (folder: string) => void = () => {}) {
  const state = mkdtempSync(path.join(tmpdir(), 'audio-oficial-premium-booted-'));
  const folder = path.join(state, 'root');
  execFileSync('cp', ['--archive', '--reflink=auto', root, folder]);
  const network = `[Match]\nName=host0\n[Network]\nAddress=${THERE}/30\nLinkLocalAddressing=no\n`;
  writeFileSync(path.join(folder, 'etc/systemd/network/10-host0.network'), network);
  writeFileSync(path.join(folder, 'etc/hosts'), `127.0.0.1 localhost ${NAME}\n`);
  writeFileSync(path.join(folder, 'etc/hostname'), `${NAME}\n`);
  execFileSync('chroot', [folder, 'systemctl', 'enable', 'systemd-networkd'], { stdio: 'ignore' });
  prepare(folder);

  let container: ChildProcess | null = null;
  /** The process of its systemd, which is the only child of systemd-nspawn. */
  const leader = () => execFileSync('pgrep', ['--parent', `${container?.pid}`], { encoding: 'utf8' }).trim();

  /** Waits until systemd has started, or given up, all that it starts by itself. */
  async function isUp(): Promise<void> {
    await vi.waitFor(
      async () => {
        execFileSync(requireTool('ip'), ['address', 'replace', `${HERE}/30`, 'dev', WIRE], {
          stdio: 'ignore',
        });
        execFileSync(requireTool('ip'), ['link', 'set', WIRE, 'up']);
        const state = await run('systemctl is-system-running --wait || true');
        expect(state.trim()).toMatch(/^(?:running|degraded)$/);
      },
      { timeout: 120_000, interval: 200 },
    );
  }

  async function start(): Promise<void> {
    const options = ['--register=no', '--keep-unit', '--network-veth', '--resolv-conf=off', '--quiet'];
    const nspawn = [requireTool('systemd-nspawn'), ...options, `--machine=${NAME}`, `--directory=${folder}`];
    // It ends with this process, however that ends.
    container = spawn(requireTool('setpriv'), ['--pdeathsig', 'KILL', '--', ...nspawn, '--boot'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    container.stderr?.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    const [ended] = await Promise.race([isUp().then(() => [null]), once(container, 'exit')]);
    if (ended === null) return;
    container = null;
    throw new Error(`No container can be booted here: systemd-nspawn ended with ${ended}: ${said}`);
  }

  /** Ends all processes at once, as a power cut does. */
  async function cutPower(): Promise<void> {
    if (container === null) return;
    const ended = once(container, 'exit');
    const first = Number(leader());
    container.kill('SIGKILL');
    process.kill(first, 'SIGKILL');
    await ended;
    container = null;
    await vi.waitFor(() => expect(existsSync(`/sys/class/net/${WIRE}`)).toBe(false), { timeout: 30_000 });
  }

  /** Runs commands of bash as root on the machine, and returns what they print. Rejects if one fails. */
  async function run(commands: string): Promise<string> {
    const { stdout } = await promisify(execFile)(
      'nsenter',
      [
        ...`--target ${leader()} --mount --uts --ipc --net --pid --cgroup --root --wd env -i`.split(' '),
        ...['HOME=/root', 'USER=root', `PATH=${PATH}`],
        ...['bash', '-euo', 'pipefail', '-c', `cd /root/project 2>/dev/null || cd /root\n${commands}`],
      ],
      { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    );
    return stdout;
  }

  async function remove(): Promise<void> {
    await cutPower();
    rmSync(state, { recursive: true, force: true });
  }

  await start().catch(async (error) => {
    await remove();
    throw error;
  });
  return {
    folder,
    run,
    async reboot(): Promise<void> {
      const ended = container && once(container, 'exit');
      await run('systemctl reboot');
      // systemd-nspawn leaves starting it again to whoever started it.
      await ended;
      await start();
    },
    cutPower,
    start,
    remove,
  };
}

/** Asks the machine from outside as a client that knows it by its public name, whatever its certificate. */
export async function askMachine(
  origin: string,
  pathname: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const { protocol, host } = new URL(origin);
  const request = (protocol === 'https:' ? https : http).request({
    host: THERE,
    servername: host,
    rejectUnauthorized: false,
    path: pathname,
    method: body === undefined ? 'GET' : 'POST',
    headers: { host, ...(body && { 'content-type': 'application/json' }), ...headers },
    agent: false,
    timeout: 30_000,
  });
  request.on('timeout', () => request.destroy(new Error('no answer within 30 s')));
  request.end(body && JSON.stringify(body));
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return { status: response.statusCode ?? 0, text };
}

import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { launchServer, type ServerProcess } from '../support/serverProcess.ts';
import { write } from '../support/temporaryFolder.ts';
import { requireTool, requireTools } from '../support/testTools.ts';

const HERE = path.join(import.meta.dirname, 'dockerMachine');
const MAKE_DEBIAN = path.join(HERE, 'debian.sh');
/** All runs share the Debian, until what makes it changes. */
const DEBIAN = path.join(
  '/var/cache/audio-oficial-premium-test',
  createHash('sha256').update(readFileSync(MAKE_DEBIAN)).digest('hex').slice(0, 12),
);
const NOT_COPIED = ['.git', '.data', 'dist', 'node_modules'];
const ENVIRONMENT = [
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'HOME=/root',
  'LANG=C.UTF-8',
];
const MOST_OUTPUT = 100_000_000;
const PROXY_PORT = 3128;
const REGISTRY = /docker\.io/;

const execute = promisify(execFile);

export type DockerMachine = Awaited<ReturnType<typeof startDockerMachine>>;

/**
 * Starts a Debian with a Docker of its own, the project in /opt/audio and stand-ins for the images of compose.yaml. A
 * wire connects it to this machine, which is `outside`.
 * @throws Error that says what is missing
 */
export async function startDockerMachine() {
  requireTools(['debootstrap', 'ip', 'nsenter', 'setpriv', 'unshare']);
  if (process.getuid?.() !== 0) throw new Error('A Docker of its own needs root');
  if (!existsSync(DEBIAN)) {
    await mkdir(path.dirname(DEBIAN), { recursive: true });
    await execute(MAKE_DEBIAN, [DEBIAN], { maxBuffer: MOST_OUTPUT });
  }
  const state = await mkdtemp(path.join(tmpdir(), 'audio-oficial-premium-docker-'));
  await chmod(state, 0o711);
  // Two runs may go on at once.
  const name = `audio-${process.pid}`;
  const network = `10.88.${process.pid % 250}`;
  const [outside, address] = [`${network}.1`, `${network}.2`];
  const proxyUrl = `http://${outside}:${PROXY_PORT}`;
  // It ends with this process, however that ends.
  const daemon = launchServer(
    [
      ...[
        '--pdeathsig',
        'KILL',
        '--',
        'unshare',
        '--mount',
        '--net',
        '--uts',
        '--fork',
        '--pid',
        '--kill-child',
      ],
      ...[path.join(HERE, 'machine.sh'), DEBIAN, state, proxyUrl, name],
    ],
    {},
    { program: 'setpriv' },
  );
  const inside = ['--mount', '--net', '--uts', `--pid=/proc/${daemon.pid}/ns/pid_for_children`];
  const enter = ['--target', String(daemon.pid), ...inside, '--', 'env', '-i', ...ENVIRONMENT, 'bash', '-c'];
  const root = `/proc/${daemon.pid}/root`;
  const project = path.join(root, 'opt/audio');
  const askedRegistries: string[] = [];
  const proxy = createProxy(askedRegistries);

  async function run(commands: string): Promise<string> {
    const program = [...enter, `cd /opt/audio && set -euo pipefail\n${commands}`];
    const { stdout } = await execute('nsenter', program, { maxBuffer: MOST_OUTPUT });
    return stdout;
  }

  async function close(): Promise<void> {
    if (daemon.exitCode === null && daemon.signalCode === null) {
      const end = once(daemon, 'exit');
      // The machine's first process, with which all others end.
      const [first = ''] = readFileSync(`/proc/${daemon.pid}/task/${daemon.pid}/children`, 'utf8').split(' ');
      process.kill(Number(first) || Number(daemon.pid), 'SIGKILL');
      await end;
    }
    proxy.close().closeAllConnections();
    await rm(state, { recursive: true });
    const ofContainers = ['-depth', '-type', 'd', '-path', `*/${name}*`, '-exec', 'rmdir', '{}', ';'];
    await execute('find', ['/sys/fs/cgroup', ...ofContainers]);
  }

  try {
    await startsServing(daemon);
    await mkdir(project);
    const wire = ['type', 'veth', 'peer', 'name', 'wire', 'netns', String(daemon.pid)];
    for (const command of [
      ['link', 'add', name, ...wire],
      ['address', 'add', `${outside}/24`, 'dev', name],
      ['link', 'set', name, 'up'],
    ])
      await execute('ip', command);
    await run(`
      ip address add ${address}/24 dev wire
      ip link set wire up
      ip route add default via ${outside}`);
    await once(proxy.listen(PROXY_PORT, outside), 'listening');
    // Docker hands these to builds, as on a machine behind a proxy, and to containers.
    const proxies = { httpProxy: proxyUrl, httpsProxy: proxyUrl, noProxy: outside };
    write(root, 'root/.docker/config.json', JSON.stringify({ proxies: { default: proxies } }));
    await cp(PROJECT_ROOT, project, {
      recursive: true,
      filter: (source) => !NOT_COPIED.includes(path.relative(PROJECT_ROOT, source)),
    });
    await execute(path.join(PROJECT_ROOT, '.ci/bare-debian'), ['copy_node', root]);
    await cp(HERE, path.join(root, 'root/stand-ins'), { recursive: true });
    await run('/root/stand-ins/images.sh');
  } catch (error) {
    await close();
    throw error;
  }

  return {
    /** This machine, as that one sees it. */
    outside,
    /** That machine, as this one sees it. */
    address,
    /** Which registries were asked for images. */
    askedRegistries,
    run,
    read: (file: string) => readFileSync(path.join(root, file), 'utf8'),
    write: (file: string, content: string) => write(root, file, content),
    /** Runs commands on a terminal; `output` is what it shows. */
    onTerminal(commands: string) {
      const program = ['nsenter', ...enter, `cd /opt/audio\n${commands}`];
      const words = program.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
      const child = spawn(requireTool('script'), ['--quiet', '--return', '--command', words, '/dev/null'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const terminal = {
        output: '',
        type: (keys: string) => void child.stdin.write(keys),
        exitCode: once(child, 'close').then(([code]): number => code),
      };
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        terminal.output += text;
      });
      return terminal;
    },
    close,
  };
}

async function startsServing(daemon: ServerProcess): Promise<void> {
  const isServing = () => daemon.output.includes('API listen on');
  const isDecided = () => expect(isServing() || daemon.exitCode !== null).toBe(true);
  await vi.waitFor(isDecided, { timeout: 60_000 }).catch(() => {});
  if (!isServing()) throw new Error(`No Docker can be run here:\n${daemon.output.slice(-2_000)}`);
}

/** A proxy for https that refuses and notes requests to registries of images. */
function createProxy(askedRegistries: string[]) {
  return createServer((request, response) => {
    response.writeHead(502).end(`${request.url}`);
  }).on('connect', ({ url = '' }, near, head) => {
    if (REGISTRY.test(url)) {
      askedRegistries.push(url);
      near.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    const [host = '', port] = url.split(':');
    const far = connect(Number(port), host, () => {
      near.write('HTTP/1.1 200 OK\r\n\r\n');
      far.write(head);
      near.pipe(far).pipe(near);
    });
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  });
}

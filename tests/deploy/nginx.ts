import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Agent, request } from 'undici';
import { expect, onTestFinished } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { freePort } from '../support/freePort.ts';
import { requireTool } from '../support/testTools.ts';
import { makeServiceFolder, startService, writeConfig } from './service.ts';

/** The name under which the site is reached; tests that do not care use the address. */
export const PUBLIC_HOST = 'audio.example';

/** Lets nginx write its temporary files into its own folder, not the machine's. */
export const TEMPORARY_PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map((name) => `${name}_temp_path ${name};`)
  .join('\n');

const MAIN_FILES = {
  ours: path.join(PROJECT_ROOT, 'deploy', 'nginx-main.conf'),
  debian: path.join(PROJECT_ROOT, 'tests', 'deploy', 'debianNginx.conf'),
};

type NginxOptions = {
  main?: 'ours' | 'debian';
  publicHost?: string;
  site?: string;
  runner?: string[];
  edit?: string;
};

/**
 * Starts nginx with `deploy/nginx.conf` in front of two instances, on 127.0.0.1 and ::1.
 * @param ports - of the instances, which may start later
 * @param addition - a site's own configuration, in `audio.d`
 * @param options - `main`: whether `deploy/nginx-main.conf` or Debian's, hardened, is around it; `publicHost`: the names
 *   that it serves; `site`: another site beside it; `runner`: the command that runs nginx; `edit`: a command that changes
 *   the files before, given their names
 */
export async function startNginx(
  ports: readonly [number, number],
  addition = '',
  { main = 'ours', publicHost = `${PUBLIC_HOST} 127.0.0.1`, site = '', runner = [], edit }: NginxOptions = {},
) {
  const [port, httpsPort] = [await freePort(), await freePort()];
  const folder = await makeServiceFolder();
  for (const name of ['conf.d', 'audio.d']) await mkdir(path.join(folder, name));
  await writeConfig(path.join(folder, 'nginx.conf'), await readFile(MAIN_FILES[main], 'utf8'), {
    'http {': `http {\n${TEMPORARY_PATHS}`,
    ...(main === 'debian' && {
      'user www-data;': '',
      'pid /run/nginx.pid;': '',
      '/etc/nginx/': `${folder}/`,
      '/var/log/nginx/': `${folder}/`,
    }),
  });
  await writeFile(path.join(folder, 'mime.types'), '');
  await writeConfig(path.join(folder, 'conf.d', 'audio.conf'), await documented('nginx.conf'), {
    'listen 80': `listen 127.0.0.1:${port}`,
    'listen [::]:80': `listen [::1]:${port}`,
    'listen 443': `listen 127.0.0.1:${httpsPort}`,
    'listen [::]:443': `listen [::1]:${httpsPort}`,
    'app-1:4000': `127.0.0.1:${ports[0]}`,
    'app-2:4000': `127.0.0.1:${ports[1]}`,
    '${PUBLIC_HOST}': publicHost,
  });
  await writeFile(
    path.join(folder, 'audio.d', 'site.conf'),
    addition
      .replace('listen 443', `listen 127.0.0.1:${httpsPort}`)
      .replace('listen [::]:443', `listen [::1]:${httpsPort}`),
  );
  await writeFile(path.join(folder, 'conf.d', 'site.conf'), site);
  if (edit !== undefined) execFileSync('sh', ['-c', `${edit} conf.d/* audio.d/*`], { cwd: folder });
  const service = startService('SIGTERM', [...runner, ...nginxIn(folder)]);
  const logFiles = ['access.log', 'error.log'].map((name) => path.join(folder, name));
  const logged = () =>
    [service.output, ...logFiles.filter(existsSync).map((file) => readFileSync(file, 'utf8'))].join('');
  return { service, url: `http://127.0.0.1:${port}`, port, httpsPort, logged };
}

export function nginxIn(folder: string): string[] {
  const command = [requireTool('nginx'), '-p', folder, '-c', 'nginx.conf', '-e', 'stderr'];
  return [...command, '-g', 'daemon off; pid nginx.pid;'];
}

export async function startInstance(answer: RequestListener): Promise<number> {
  const instance = createServer(answer);
  await once(instance.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void instance.close().closeAllConnections());
  return (instance.address() as AddressInfo).port;
}

/**
 * Starts nginx with `addition` in `audio.d`, in front of two instances, or of one that answers with the forwarded
 * protocol and host; its responses to `/held` are for the test to end.
 */
export async function startSite(
  addition?: string,
  { instances, ...options }: NginxOptions & { instances?: [number, number] } = {},
) {
  const held: ServerResponse[] = [];
  const echo = await startInstance((incoming, response) => {
    if (incoming.url === '/held') held.push(response);
    else
      response.end(`${incoming.headers['x-forwarded-proto']}${incoming.headers['x-forwarded-host'] ?? ''}`);
  });
  const nginx = await startNginx(instances ?? [echo, echo], addition, options);
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false, servername: PUBLIC_HOST } });
  onTestFinished(() => dispatcher.destroy());
  async function ask(
    url: string,
    headers: Record<string, string> = {},
    how: { method?: 'GET' | 'HEAD' | 'POST'; body?: string; dispatcher?: Agent } = {},
  ) {
    const answer = await request(url, { headers, dispatcher, ...how });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  }
  await expect
    .poll(() => ask(`${nginx.url}/readyz`, { host: 'checks.invalid' }).catch(() => null), { timeout: 10_000 })
    .toMatchObject({ status: 200 });
  return { nginx, url: nginx.url, ask, held };
}

function documented(name: string): Promise<string> {
  return readFile(path.join(PROJECT_ROOT, 'deploy', name), 'utf8');
}

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Agent, request } from 'undici';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../support/freePort.ts';
import { requireTool } from '../support/testTools.ts';
import { type MAIN_FILES, nginxArguments, writeNginxConfig } from './nginxConfig.ts';
import { makeServiceFolder, startService } from './service.ts';

/** The name under which the site is reached; tests that do not care use the address. */
export const PUBLIC_HOST = 'audio.example';

type NginxOptions = {
  main?: keyof typeof MAIN_FILES;
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
  await writeNginxConfig(folder, { port, httpsPort, instances: ports, main, publicHost, addition });
  await writeFile(path.join(folder, 'conf.d', 'site.conf'), site);
  if (edit !== undefined) execFileSync('sh', ['-c', `${edit} conf.d/* audio.d/*`], { cwd: folder });
  const service = startService('SIGTERM', [...runner, requireTool('nginx'), ...nginxArguments(folder)]);
  const logFiles = ['access.log', 'error.log'].map((name) => path.join(folder, name));
  const logged = () =>
    [service.output, ...logFiles.filter(existsSync).map((file) => readFileSync(file, 'utf8'))].join('');
  return { service, url: `http://127.0.0.1:${port}`, port, httpsPort, logged };
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

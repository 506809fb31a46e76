import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { freePort } from './freePort.ts';
import { requireNginx } from './testTools.ts';

export type Nginx = {
  url: string;
  /** What it wrote to its error log. */
  readonly errors: string;
  close(): Promise<void>;
};

/** The frame around `docs/nginx.conf`; all that nginx writes lies in a folder of its own. */
const MAIN_CONF = `
daemon off;
pid nginx.pid;
worker_processes 2;
error_log stderr warn;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  include site.conf;
}
`;

/** Ends nginx and leaves nothing behind once its input ends, which comes at the latest with the end of our process. */
const RUN = `
  "$1" -p "$2" -c nginx.conf -e stderr &
  cat > /dev/null
  kill -TERM $!
  wait $!
  rm -rf "$2"
`;

/**
 * nginx with the configuration that we recommend (`docs/nginx.conf`) in front of two instances.
 * @param ports where the instances listen, or will
 * @param addition what a site has in `audio.d`
 */
export async function startNginx(ports: readonly [number, number], addition = ''): Promise<Nginx> {
  const program = requireNginx();
  const port = await freePort();
  const folder = await mkdtemp(path.join(tmpdir(), 'audio-oficial-premium-nginx-'));
  await chmod(folder, 0o711); // root's nginx works as another user
  await writeFile(path.join(folder, 'nginx.conf'), MAIN_CONF);
  await writeFile(path.join(folder, 'site.conf'), await siteConf(port, ports));
  await mkdir(path.join(folder, 'audio.d'));
  await writeFile(path.join(folder, 'audio.d', 'site.conf'), addition);

  const child = spawn('sh', ['-c', RUN, 'sh', program, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const exit = once(child, 'exit');
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return {
    url: `http://127.0.0.1:${port}`,
    get errors() {
      return errors;
    },
    async close() {
      child.stdin.end();
      await exit;
    },
  };
}

async function siteConf(port: number, instances: readonly [number, number]): Promise<string> {
  const replacements = [
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ['app-1:4000', `127.0.0.1:${instances[0]}`],
    ['app-2:4000', `127.0.0.1:${instances[1]}`],
  ] as const;
  let conf = await readFile(path.join(PROJECT_ROOT, 'docs', 'nginx.conf'), 'utf8');
  for (const [ours, tests] of replacements) {
    if (!conf.includes(ours)) throw new Error(`docs/nginx.conf does not say ${ours}`);
    conf = conf.replace(ours, tests);
  }
  return conf;
}

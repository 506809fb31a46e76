import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { freePort } from '../support/freePort.ts';
import { requireNginx } from '../support/testTools.ts';
import { makeServiceFolder, startService, writeConfig } from './service.ts';

/** The frame around `docs/nginx.conf`; everything that nginx writes lies in its folder. */
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

/**
 * Starts nginx with `docs/nginx.conf` in front of two instances.
 * @param ports - of the instances, which may start later
 * @param addition - a site's own configuration, in `audio.d`
 */
export async function startNginx(ports: readonly [number, number], addition = '') {
  const program = requireNginx();
  const port = await freePort();
  const folder = await makeServiceFolder();
  await writeFile(path.join(folder, 'nginx.conf'), MAIN_CONF);
  const documented = await readFile(path.join(PROJECT_ROOT, 'docs', 'nginx.conf'), 'utf8');
  await writeConfig(path.join(folder, 'site.conf'), documented, {
    'listen 80;': `listen 127.0.0.1:${port};`,
    'app-1:4000': `127.0.0.1:${ports[0]}`,
    'app-2:4000': `127.0.0.1:${ports[1]}`,
  });
  await mkdir(path.join(folder, 'audio.d'));
  await writeFile(path.join(folder, 'audio.d', 'site.conf'), addition);
  const command = [program, '-p', folder, '-c', 'nginx.conf', '-e', 'stderr'];
  return Object.assign(startService(folder, 'TERM', command), { url: `http://127.0.0.1:${port}` });
}

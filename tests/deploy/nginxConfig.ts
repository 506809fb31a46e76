import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROJECT_ROOT } from '../../server/config/folders.ts';

/** Lets nginx write its temporary files into its own folder, not the machine's. */
export const TEMPORARY_PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map((name) => `${name}_temp_path ${name};`)
  .join('\n');

export const MAIN_FILES = {
  ours: 'deploy/nginx-main.conf',
  debian: 'tests/deploy/debianNginx.conf',
};

/**
 * Writes `deploy/nginx.conf` and what is around it into a folder, for 127.0.0.1 and ::1.
 * @param options - `instances`: their ports; `addition`: a site's own configuration, in `audio.d`; `main`: whether
 *   `deploy/nginx-main.conf` or Debian's, hardened, is around it
 */
export async function writeNginxConfig(
  folder: string,
  {
    port,
    httpsPort,
    instances,
    publicHost,
    addition = '',
    main = 'ours',
  }: {
    port: number;
    httpsPort: number;
    instances: readonly [number, number];
    publicHost: string;
    addition?: string;
    main?: keyof typeof MAIN_FILES;
  },
): Promise<void> {
  for (const name of ['conf.d', 'audio.d']) await mkdir(path.join(folder, name));
  await writeConfig(path.join(folder, 'nginx.conf'), await committed(MAIN_FILES[main]), {
    'http {': `http {\n${TEMPORARY_PATHS}`,
    ...(main === 'debian' && {
      'user www-data;': '',
      'pid /run/nginx.pid;': '',
      '/etc/nginx/': `${folder}/`,
      '/var/log/nginx/': `${folder}/`,
    }),
  });
  await writeFile(path.join(folder, 'mime.types'), '');
  await writeConfig(path.join(folder, 'conf.d', 'audio.conf'), await committed('deploy/nginx.conf'), {
    'listen 80': `listen 127.0.0.1:${port}`,
    'listen [::]:80': `listen [::1]:${port}`,
    'listen 443': `listen 127.0.0.1:${httpsPort}`,
    'listen [::]:443': `listen [::1]:${httpsPort}`,
    'app-1:4000': `127.0.0.1:${instances[0]}`,
    'app-2:4000': `127.0.0.1:${instances[1]}`,
    '${PUBLIC_HOST}': publicHost,
  });
  await writeFile(
    path.join(folder, 'audio.d', 'site.conf'),
    addition
      .replace('listen 443', `listen 127.0.0.1:${httpsPort}`)
      .replace('listen [::]:443', `listen [::1]:${httpsPort}`),
  );
}

export function nginxArguments(folder: string): string[] {
  return ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off; pid nginx.pid;'];
}

/** Writes a configuration of `docs/` to a file, with other text wherever one of `replacements` occurs. */
export async function writeConfig(
  file: string,
  documented: string,
  replacements: Record<string, string>,
): Promise<void> {
  let text = documented;
  for (const [before, after] of Object.entries(replacements)) {
    if (!text.includes(before)) throw new Error(`The documented configuration does not say ${before}`);
    text = text.replaceAll(before, after);
  }
  await writeFile(file, text);
}

function committed(file: string): Promise<string> {
  return readFile(path.join(PROJECT_ROOT, file), 'utf8');
}

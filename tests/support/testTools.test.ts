import { describe, expect, test, vi } from 'vitest';
import {
  type Machine,
  requireChromium,
  requireCurl,
  requireDockerCompose,
  requireFfmpeg,
  requireMpv,
  requireNginx,
  requirePgbouncer,
  requirePostgres,
  requirePython,
} from './testTools.ts';

const PLAYWRIGHTS = '/home/partner/.cache/ms-playwright/chrome';

/** A machine that holds these programs only; `installs` says what a program that is run brings. */
function machine(
  programs: string[],
  { installs = {}, ...rest }: Partial<Machine> & { installs?: Record<string, string[]> } = {},
): Machine & { commands: string[] } {
  const present = new Set(programs);
  const commands: string[] = [];
  return {
    platform: 'linux',
    isRoot: false,
    env: {},
    playwrightChromium: PLAYWRIGHTS,
    find: async (program) => [program, `/usr/bin/${program}`].find((file) => present.has(file)),
    run: async (program, args) => {
      const command = [program.replace(process.execPath, 'node'), ...args].join(' ');
      commands.push(command);
      const brought = Object.entries(installs).find(([part]) => command.includes(part))?.[1];
      if (brought === undefined) throw new Error(`${program} failed`);
      for (const file of brought) present.add(file);
    },
    commands,
    ...rest,
  };
}

describe('Chromium', () => {
  test('is the one that CHROME_PATH names, before any other', async () => {
    const here = machine(['/opt/chrome', '/usr/bin/chromium'], { env: { CHROME_PATH: '/opt/chrome' } });
    expect(await requireChromium(here)).toBe('/opt/chrome');
  });

  test('is never another than the one that CHROME_PATH names', async () => {
    const here = machine(['/usr/bin/chromium'], { env: { CHROME_PATH: '/opt/chrome' } });
    await expect(requireChromium(here)).rejects.toThrow('CHROME_PATH is /opt/chrome, which does not start.');
  });

  test.each([
    ["Debian's", 'linux', '/usr/bin/chromium'],
    ['an installed Chrome', 'linux', '/usr/bin/google-chrome'],
    ['an installed Chrome', 'darwin', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    ["Playwright's own", 'darwin', PLAYWRIGHTS],
  ] as const)('is %s on %s', async (_which, platform, file) => {
    const here = machine([file], { platform });
    expect(await requireChromium(here)).toBe(file);
    expect(here.commands).toEqual([]);
  });

  test('is installed by apt-get for root on Debian', async () => {
    silence();
    const here = machine(['/usr/bin/apt-get'], {
      isRoot: true,
      installs: { 'apt-get update': [], 'apt-get install': ['/usr/bin/chromium'] },
    });
    expect(await requireChromium(here)).toBe('/usr/bin/chromium');
    expect(here.commands).toEqual([
      'apt-get update -q',
      'apt-get install -y -q --no-install-recommends chromium',
    ]);
  });

  test("is Playwright's download for everyone else", async () => {
    silence();
    const here = machine([], { installs: { 'cli.js install chromium': [PLAYWRIGHTS] } });
    expect(await requireChromium(here)).toBe(PLAYWRIGHTS);
  });

  test("is Playwright's download where apt-get has none", async () => {
    silence();
    const here = machine(['/usr/bin/apt-get'], {
      isRoot: true,
      installs: { 'cli.js install chromium': [PLAYWRIGHTS] },
    });
    expect(await requireChromium(here)).toBe(PLAYWRIGHTS);
  });

  test.each([
    [
      'root on Linux',
      'linux',
      true,
      '`apt-get update && apt-get install -y chromium curl docker-compose ffmpeg mpv nginx-light pgbouncer postgresql python3`',
    ],
    [
      'a user on Linux',
      'linux',
      false,
      "`sudo sh -c 'apt-get update && apt-get install -y chromium curl docker-compose ffmpeg mpv nginx-light pgbouncer postgresql python3'`",
    ],
    [
      'macOS',
      'darwin',
      false,
      '`brew install curl docker-compose ffmpeg mpv nginx pgbouncer postgresql@18 python3 && brew install --cask google-chrome`',
    ],
  ] as const)(
    'that cannot be had is told with one command to run, for %s',
    async (_who, platform, isRoot, command) => {
      silence();
      await expect(requireChromium(machine([], { platform, isRoot }))).rejects.toThrow(
        `The tests need a Chromium, which could not be installed. Run ${command}, ` +
          'or name the programs by CHROME_PATH, CURL_PATH, DOCKER_COMPOSE_PATH, FFMPEG_PATH, MPV_PATH, NGINX_PATH, ' +
          'PGBOUNCER_PATH, POSTGRES_PATH and PYTHON_PATH.',
      );
    },
  );
});

describe('ffmpeg', () => {
  test('is the one that FFMPEG_PATH names, with the ffprobe beside it', async () => {
    const here = machine(['/opt/ffmpeg', '/opt/ffprobe', '/usr/bin/ffmpeg', '/usr/bin/ffprobe'], {
      env: { FFMPEG_PATH: '/opt/ffmpeg' },
    });
    expect(await requireFfmpeg(here)).toEqual({ ffmpeg: '/opt/ffmpeg', ffprobe: '/opt/ffprobe' });
  });

  test('named by FFMPEG_PATH without an ffprobe beside it is refused', async () => {
    const here = machine(['/opt/ffmpeg', '/usr/bin/ffprobe'], { env: { FFMPEG_PATH: '/opt/ffmpeg' } });
    await expect(requireFfmpeg(here)).rejects.toThrow(
      'Beside /opt/ffmpeg (FFMPEG_PATH) lies no ffprobe that starts.',
    );
  });

  test('is the installed one', async () => {
    expect(await requireFfmpeg(machine(['/usr/bin/ffmpeg', '/usr/bin/ffprobe']))).toEqual({
      ffmpeg: '/usr/bin/ffmpeg',
      ffprobe: '/usr/bin/ffprobe',
    });
  });

  test('is installed by apt-get for root on Debian, when half of it is missing too', async () => {
    silence();
    const here = machine(['/usr/bin/apt-get', '/usr/bin/ffmpeg'], {
      isRoot: true,
      installs: { 'apt-get update': [], 'apt-get install': ['/usr/bin/ffprobe'] },
    });
    expect(await requireFfmpeg(here)).toEqual({ ffmpeg: '/usr/bin/ffmpeg', ffprobe: '/usr/bin/ffprobe' });
  });

  test('that cannot be had is told, never skipped', async () => {
    silence();
    await expect(requireFfmpeg(machine([]))).rejects.toThrow(
      'The tests need ffmpeg, which could not be installed.',
    );
  });
});

describe('PostgreSQL', () => {
  const PROGRAMS = ['initdb', 'postgres', 'createdb', 'createuser', 'pg_dump', 'pg_restore', 'psql'];
  const whole = (folder: string) => PROGRAMS.map((program) => `${folder}/${program}`);
  const found = (folder: string) =>
    Object.fromEntries(PROGRAMS.map((program) => [program, `${folder}/${program}`]));
  const [NEWER, OLDER] = ['/usr/lib/postgresql/18/bin', '/usr/lib/postgresql/15/bin'];

  test('is the one that POSTGRES_PATH names, with the programs beside it', async () => {
    const here = machine([...whole('/opt/pg'), ...whole(NEWER)], {
      env: { POSTGRES_PATH: '/opt/pg/postgres' },
    });
    expect(await requirePostgres(here)).toEqual(found('/opt/pg'));
  });

  test('named by POSTGRES_PATH without them is refused', async () => {
    const here = machine(['/opt/pg/postgres', ...whole(NEWER)], {
      env: { POSTGRES_PATH: '/opt/pg/postgres' },
    });
    await expect(requirePostgres(here)).rejects.toThrow('Beside /opt/pg/postgres (POSTGRES_PATH) do not lie');
  });

  test('is the newest of Debian that is there whole, server and programs of one version', async () => {
    expect(await requirePostgres(machine([...whole(OLDER), ...whole(NEWER)]))).toEqual(found(NEWER));
    const halved = [...whole(OLDER), `${NEWER}/pg_dump`, `${NEWER}/pg_restore`, '/usr/bin/pg_dump'];
    expect(await requirePostgres(machine(halved))).toEqual(found(OLDER));
  });

  test('is the one on PATH elsewhere', async () => {
    expect(await requirePostgres(machine(whole('/usr/bin')))).toEqual(found('/usr/bin'));
  });

  test('is installed by apt-get for root on Debian', async () => {
    silence();
    const here = machine(['/usr/bin/apt-get'], {
      isRoot: true,
      installs: { 'apt-get update': [], 'apt-get install': whole(OLDER) },
    });
    expect(await requirePostgres(here)).toEqual(found(OLDER));
    expect(here.commands).toContain('apt-get install -y -q --no-install-recommends postgresql');
  });

  test('that cannot be had is told, never skipped', async () => {
    silence();
    await expect(requirePostgres(machine([]))).rejects.toThrow('The tests need PostgreSQL, which could not');
  });
});

describe.each([
  ['curl', requireCurl, 'CURL_PATH', 'curl'],
  ['docker-compose', requireDockerCompose, 'DOCKER_COMPOSE_PATH', 'docker-compose'],
  ['mpv', requireMpv, 'MPV_PATH', 'mpv'],
  ['nginx', requireNginx, 'NGINX_PATH', 'nginx-light'],
  ['pgbouncer', requirePgbouncer, 'PGBOUNCER_PATH', 'pgbouncer'],
  ['python3', requirePython, 'PYTHON_PATH', 'python3'],
] as const)('%s', (name, requireProgram, variable, debianPackage) => {
  const installed = `/usr/bin/${name}`;

  test('is the one that its variable names, before the installed one', async () => {
    const programs = ['/opt/program', installed];
    expect(await requireProgram(machine(programs, { env: { [variable]: '/opt/program' } }))).toBe(
      '/opt/program',
    );
    expect(await requireProgram(machine(programs))).toBe(installed);
  });

  test('is installed by apt-get for root on Debian', async () => {
    silence();
    const here = machine(['/usr/bin/apt-get'], {
      isRoot: true,
      installs: { 'apt-get update': [], 'apt-get install': [installed] },
    });
    expect(await requireProgram(here)).toBe(installed);
    expect(here.commands).toContain(`apt-get install -y -q --no-install-recommends ${debianPackage}`);
  });

  test('that cannot be had is told, never skipped', async () => {
    silence();
    await expect(requireProgram(machine([]))).rejects.toThrow(
      `The tests need ${name}, which could not be installed.`,
    );
  });
});

test("nginx is Debian's, although the PATH of a user does not lead there", async () => {
  expect(await requireNginx(machine(['/usr/sbin/nginx']))).toBe('/usr/sbin/nginx');
});

function silence(): void {
  vi.spyOn(console, 'error').mockImplementation(() => {});
}

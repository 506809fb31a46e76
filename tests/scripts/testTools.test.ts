import { describe, expect, test, vi } from 'vitest';
import {
  type Machine,
  requireChromium,
  requireFfmpeg,
  requireMpv,
  requireNginx,
} from '../support/testTools.ts';

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
      '`apt-get update && apt-get install -y chromium ffmpeg mpv nginx-light`',
    ],
    [
      'a user on Linux',
      'linux',
      false,
      "`sudo sh -c 'apt-get update && apt-get install -y chromium ffmpeg mpv nginx-light'`",
    ],
    ['macOS', 'darwin', false, '`brew install ffmpeg mpv nginx && brew install --cask google-chrome`'],
  ] as const)(
    'that cannot be had is told with one command to run, for %s',
    async (_who, platform, isRoot, command) => {
      silence();
      await expect(requireChromium(machine([], { platform, isRoot }))).rejects.toThrow(
        `The tests need a Chromium, which could not be installed. Run ${command}, ` +
          'or name the programs by CHROME_PATH, FFMPEG_PATH, MPV_PATH and NGINX_PATH.',
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

describe('mpv', () => {
  test('is the one that MPV_PATH names, before the installed one', async () => {
    const programs = ['/opt/mpv', '/usr/bin/mpv'];
    expect(await requireMpv(machine(programs, { env: { MPV_PATH: '/opt/mpv' } }))).toBe('/opt/mpv');
    expect(await requireMpv(machine(programs))).toBe('/usr/bin/mpv');
  });

  test('is installed by apt-get for root on Debian', async () => {
    silence();
    const here = machine(['/usr/bin/apt-get'], {
      isRoot: true,
      installs: { 'apt-get update': [], 'apt-get install': ['/usr/bin/mpv'] },
    });
    expect(await requireMpv(here)).toBe('/usr/bin/mpv');
  });
});

describe('nginx', () => {
  test('is the one that NGINX_PATH names, before any other', async () => {
    const here = machine(['/opt/nginx', '/usr/bin/nginx'], { env: { NGINX_PATH: '/opt/nginx' } });
    expect(await requireNginx(here)).toBe('/opt/nginx');
  });

  test("is Debian's, although the PATH of a user does not lead there", async () => {
    expect(await requireNginx(machine(['/usr/sbin/nginx']))).toBe('/usr/sbin/nginx');
  });

  test('is installed by apt-get for root on Debian', async () => {
    silence();
    const here = machine(['/usr/bin/apt-get'], {
      isRoot: true,
      installs: { 'apt-get update': [], 'apt-get install': ['/usr/sbin/nginx'] },
    });
    expect(await requireNginx(here)).toBe('/usr/sbin/nginx');
    expect(here.commands).toContain('apt-get install -y -q --no-install-recommends nginx-light');
  });

  test('that cannot be had is told, never skipped', async () => {
    silence();
    await expect(requireNginx(machine([]))).rejects.toThrow(
      'The tests need nginx, which could not be installed.',
    );
  });
});

function silence(): void {
  vi.spyOn(console, 'error').mockImplementation(() => {});
}

import type { TestProject } from 'vitest/node';
import { installChromium } from './testChromium.ts';
import { requireTools, type TestTool } from './testTools.ts';

const TOOLS: Record<string, TestTool[]> = {
  engines: [
    'chromium',
    'ffmpeg',
    'firefox-esr',
    'gstreamer1.0-libav',
    'gstreamer1.0-plugins-good',
    'MiniBrowser',
    'pulseaudio',
    'WebKitWebDriver',
    'Xvfb',
  ],
  deploy: [
    'curl',
    'debootstrap',
    'docker-compose',
    'ffmpeg',
    'ip',
    'liquidsoap',
    'localedef',
    'mpv',
    'nginx',
    'nsenter',
    'openssl',
    'perl',
    'pgbouncer',
    'postgres',
    'promtool',
    'python3',
    'script',
    'setpriv',
    'systemd-analyze',
    'systemd-nspawn',
    'unshare',
  ],
};

export default async function setup({ name }: TestProject): Promise<void> {
  requireTools(TOOLS[name] ?? []);
  if (name === 'browser' || name === 'screens') await installChromium();
}

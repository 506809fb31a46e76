import { expect, onTestFinished, test, vi } from 'vitest';
import { m3uFile } from '../../../../client/dashboard/otherPrograms/OtherPrograms.tsx';
import { HOUR_MS } from '../../../../shared/durations.ts';

const ADDRESS = 'https://audio.example/mp3/icecast.audio?a=1&wmsAuthSign=c2Vy+dmVy/X3Q==';
const TITLE = 'Audio Oficial Premium (conectar antes de las 18:32)';

test('an M3U file has its expiry in its name and holds the titled address unchanged', () => {
  const { name, href } = m3uFile(ADDRESS, TITLE, new Date(2030, 5, 1, 18, 32, 7).getTime());
  expect(name).toBe('audio-oficial-hasta-18-32-07.m3u');
  const content = `#EXTM3U\r\n#EXTINF:-1,${TITLE}\r\n${ADDRESS}\r\n`;
  expect(href).toBe(`data:audio/x-mpegurl;charset=utf-8,${encodeURIComponent(content)}`);
});

test('two M3U files an hour apart have two names at the end of summer time', () => {
  vi.stubEnv('TZ', 'America/Santiago');
  onTestFinished(() => void vi.unstubAllEnvs());
  const first = Date.UTC(2026, 3, 5, 2, 10);
  const names = [first, first + HOUR_MS].map((expiresAt) => m3uFile(ADDRESS, TITLE, expiresAt).name);
  expect(names).toEqual(['audio-oficial-hasta-23-10-00-UTC-3.m3u', 'audio-oficial-hasta-23-10-00-UTC-4.m3u']);
});

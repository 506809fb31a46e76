import { cleanup, configure, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { OtherPrograms } from '../../../../client/dashboard/otherPrograms/OtherPrograms.tsx';
import { HOUR_MS } from '../../../../shared/durations.ts';
import { openDisclosure } from '../openDisclosure.ts';

const URL = 'https://audio.example/mp3/icecast.audio?a=1&wmsAuthSign=c2Vy+dmVy/X3Q==';
const HEADING = 'Usar en tu software de emisión';
const SHELLS = ['Linux', 'macOS', 'PowerShell', 'símbolo del sistema'];

configure({ asyncUtilTimeout: 60_000 });

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

async function playlist(expiresAt: number): Promise<HTMLAnchorElement> {
  const { container } = render(<OtherPrograms url={URL} expiresAt={expiresAt} />);
  await openDisclosure(HEADING);
  const link = container.querySelector<HTMLAnchorElement>('a[download]') as HTMLAnchorElement;
  cleanup();
  return link;
}

test('an M3U file has its expiry in its name and holds the titled address unchanged', async () => {
  const { download, href } = await playlist(new Date(2030, 5, 1, 18, 32, 7).getTime());
  expect(download).toBe('audio-oficial-hasta-18-32-07.m3u');
  const content = `#EXTM3U\r\n#EXTINF:-1,Audio Oficial Premium (conectar antes de las 18:32)\r\n${URL}\r\n`;
  expect(href).toBe(`data:audio/x-mpegurl;charset=utf-8,${encodeURIComponent(content)}`);
});

test('two M3U files an hour apart have two names at the end of summer time', async () => {
  vi.stubEnv('TZ', 'America/Santiago');
  const first = Date.UTC(2026, 3, 5, 2, 10);
  const names = [(await playlist(first)).download, (await playlist(first + HOUR_MS)).download];
  expect(names).toEqual(['audio-oficial-hasta-23-10-00-UTC-3.m3u', 'audio-oficial-hasta-23-10-00-UTC-4.m3u']);
});

test('the list begins with what studios use', async () => {
  const { container } = render(<OtherPrograms url={URL} expiresAt={Date.now()} />);
  await openDisclosure(HEADING);
  const items = [...container.querySelectorAll('li, option')].map(({ textContent }) => textContent ?? '');
  const order = ['M3U', 'OBS', 'Liquidsoap', 'Tu sistema', ...SHELLS, 'VLC', 'ffmpeg', 'dirección propia'];
  expect(items).toHaveLength(order.length);
  for (const [place, name] of order.entries()) expect(items[place]).toContain(name);
});

test('the technicians’ guide opens in a new tab', async () => {
  render(<OtherPrograms url={URL} expiresAt={Date.now()} />);
  await openDisclosure(HEADING);
  expect(screen.getByText('Guía de programas y equipos', { exact: false })).toMatchObject({
    pathname: '/docs/players',
    target: '_blank',
  });
});

test('another token leaves the focus on the button that copies a command', async () => {
  const { rerender } = render(<OtherPrograms url={URL} expiresAt={Date.now()} />);
  await openDisclosure(HEADING);
  const copy = () => screen.getByLabelText('Copiar: Escuchar con VLC');
  copy().focus();
  rerender(<OtherPrograms url={`${URL}2`} expiresAt={Date.now()} />);
  expect(document.activeElement).toBe(copy());
});

test('a command is copied for the chosen shell', async () => {
  const writeText = vi.fn(async () => {});
  vi.stubGlobal('navigator', { userAgent: 'Windows', clipboard: { writeText } });
  render(<OtherPrograms url={URL} expiresAt={Date.now()} />);
  await openDisclosure(HEADING);
  const vlc = screen.getByLabelText('Escuchar con VLC', { selector: 'input' });
  const copy = () => fireEvent.click(screen.getByLabelText('Copiar: Escuchar con VLC'));
  expect(vlc).toHaveProperty('value', expect.stringContaining('vlc.exe'));
  fireEvent.change(screen.getByLabelText('Tu sistema'), { target: { value: 'linux' } });
  expect(vlc).toHaveProperty('value', `vlc '${URL}'`);
  copy();
  await screen.findByText('Copiado');
  expect(writeText).toHaveBeenLastCalledWith(`vlc '${URL}'`);
  writeText.mockRejectedValue(new Error('refused'));
  copy();
  await screen.findByText('No se pudo: cópialo del campo.');
  expect(document.activeElement).toBe(vlc);
});

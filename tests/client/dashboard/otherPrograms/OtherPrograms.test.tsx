import { cleanup, configure, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { OtherPrograms } from '../../../../client/dashboard/otherPrograms/OtherPrograms.tsx';
import { openDisclosure } from '../openDisclosure.ts';

const URL = 'https://audio.example/?sign=abc==';
const HEADING = 'Usar en tu software de emisión';
const SHELLS = ['Linux', 'macOS', 'PowerShell', 'símbolo del sistema'];

configure({ asyncUtilTimeout: 60_000 });

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
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

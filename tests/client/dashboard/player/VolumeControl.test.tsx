// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { VolumeControl } from '../../../../client/dashboard/player/VolumeControl.tsx';

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.restoreAllMocks();
});

test('a page that may set the volume shows a slider', () => {
  render(<VolumeControl />);
  expect(screen.getByRole('slider', { name: 'Volumen' })).toHaveProperty('value', '100');
});

test('where only the phone’s own buttons set the volume, there is a mute button and no slider', () => {
  vi.spyOn(HTMLMediaElement.prototype, 'volume', 'set').mockReturnValue();
  render(<VolumeControl />);
  expect(screen.queryByRole('slider')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Silenciar' }));
  expect(screen.getByRole('button', { name: 'Activar sonido' })).toBeDefined();
});

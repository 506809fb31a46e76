import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { LoadingOverlay } from '../../../client/layout/LoadingOverlay.tsx';

afterEach(cleanup);

const screenOf = (isLoading: boolean) => (
  <>
    <button type="button">Crear Token</button>
    <button type="button">Cerrar Sesión</button>
    {isLoading && <LoadingOverlay text="Creando Token…" />}
  </>
);

test.each([
  ['goes back to where it was', () => undefined, 'Crear Token'],
  ['stays where the partner moved it', () => screen.getByText('Cerrar Sesión').focus(), 'Cerrar Sesión'],
])('when an overlay closes the focus %s', (_, meanwhile, focused) => {
  const { rerender } = render(screenOf(false));
  screen.getByText('Crear Token').focus();
  rerender(screenOf(true));
  expect(document.activeElement?.textContent).toBe('Creando Token…');
  meanwhile();
  rerender(screenOf(false));
  expect(document.activeElement?.textContent).toBe(focused);
});

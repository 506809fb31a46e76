// @vitest-environment jsdom
import { render, screen } from '@testing-library/react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ErrorBoundary } from '../../../client/layout/ErrorBoundary.tsx';

function Broken(): never {
  throw new Error('a bug');
}

test('a page that crashes offers to load it anew', () => {
  // React reports the error there.
  const consoleError = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => consoleError.mockRestore());
  render(
    <ErrorBoundary>
      <Broken />
    </ErrorBoundary>,
  );
  expect(screen.getByRole('alert').textContent).toContain('Algo salió mal');
  expect(screen.getByRole('button').textContent).toBe('Volver a cargar');
});

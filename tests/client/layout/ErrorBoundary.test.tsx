import { cleanup, render, screen } from '@testing-library/react';
import { useLayoutEffect } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ErrorBoundary } from '../../../client/layout/ErrorBoundary.tsx';
import { CrashPage } from '../../../client/layout/MessagePages.tsx';

let failures = 0;

function Panel() {
  useLayoutEffect(() => {
    failures -= 1;
    if (failures >= 0) throw new Error('a bug');
  }, []);
  return <p>Panel</p>;
}

// React reports the errors there.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => {
  vi.restoreAllMocks();
  cleanup();
});

test('a panel that breaks once is drawn anew', () => {
  failures = 1;
  render(
    <ErrorBoundary>
      <Panel />
    </ErrorBoundary>,
  );
  expect(screen.queryByText('Panel')).not.toBeNull();
});

test('a panel that breaks again says so in its own place', () => {
  failures = 2;
  render(
    <>
      <ErrorBoundary>
        <Panel />
      </ErrorBoundary>
      <p>Otro panel</p>
    </>,
  );
  expect(screen.getByRole('alert').textContent).toBe('Algo salió malVolver a cargar');
  expect(screen.queryByText('Otro panel')).not.toBeNull();
});

test('a page that breaks again offers to load it anew', () => {
  failures = 2;
  render(
    <ErrorBoundary fallback={<CrashPage />}>
      <Panel />
    </ErrorBoundary>,
  );
  expect(screen.getByRole('alert').textContent).toContain('Algo salió mal');
  expect(screen.getByRole('button').textContent).toBe('Volver a cargar');
});

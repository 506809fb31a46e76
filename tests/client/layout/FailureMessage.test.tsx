import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { FailureMessage } from '../../../client/layout/FailureMessage.tsx';
import { TOKEN_HEADING_ID, USERNAME_ID } from '../../../client/layout/focus.ts';
import type { Failure } from '../../../client/page/failure.ts';
import { PROVIDER_CODES } from '../../../shared/errorCodes.ts';
import { wrapTexts } from '../wrapTexts.ts';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  document.head.replaceChildren();
});

function shown(code: Failure['code']) {
  return render(<FailureMessage failure={{ code }} tooMany="" supported={PROVIDER_CODES} />).container;
}

test('after a failure of the provider the support’s contact is shown if there is one', () => {
  expect(shown('PROVIDER_UNAVAILABLE').textContent).toMatch(/Inténtalo de nuevo[^.]*\.$/);
  configure('Soporte: https://radio.example/ayuda');
  expect(shown('PROVIDER_UNAVAILABLE').querySelector('a')).toMatchObject({
    href: 'https://radio.example/ayuda',
    target: '_blank',
    rel: 'noreferrer',
  });
});

test('a translated failure with the support’s contact disappears without an error', () => {
  configure('soporte@radio.example');
  const message = (failure: Failure | undefined) => (
    <FailureMessage failure={failure} tooMany="" supported={PROVIDER_CODES} />
  );
  const { container, rerender } = render(message({ code: 'PROVIDER_UNAVAILABLE' }));
  wrapTexts(container);
  rerender(message(undefined));
  expect(container.textContent).toBe('');
});

test.each([TOKEN_HEADING_ID, USERNAME_ID])('the support’s contact leaves the focus to #%s', (id) => {
  configure('soporte@radio.example');
  const message = (failure: Failure | undefined) => (
    <>
      <input id={id} />
      <FailureMessage failure={failure} tooMany="" supported={PROVIDER_CODES} />
    </>
  );
  const { container, rerender } = render(message({ code: 'PROVIDER_UNAVAILABLE' }));
  container.querySelector('a')?.focus();
  rerender(message(undefined));
  expect(document.activeElement?.id).toBe(id);
});

test('after a failure with which the support cannot help its contact is not shown', () => {
  configure('soporte@radio.example');
  expect(shown('DATABASE_UNAVAILABLE').textContent).not.toContain('soporte');
});

test('a wait is counted down, and announced at its beginning and its end', () => {
  vi.useFakeTimers();
  const failure = { code: 'RATE_LIMITED', retryAfterSeconds: 60 } as const;
  render(<FailureMessage failure={failure} tooMany="Demasiados intentos." supported={[]} />);
  const told = () => {
    const message = screen.getByRole('alert');
    return [message.textContent, message.getAttribute('aria-live')];
  };
  const passes = (ms: number) => act(() => void vi.advanceTimersByTime(ms));
  expect(told()).toEqual(['Demasiados intentos. Inténtalo en 60 segundos.', 'assertive']);
  passes(59_000);
  expect(told()).toEqual(['Demasiados intentos. Inténtalo en 1 segundo.', 'off']);
  passes(1_000);
  expect(told()).toEqual(['Ya puedes intentarlo de nuevo.', 'assertive']);
});

function configure(content: string): void {
  document.head.append(Object.assign(document.createElement('meta'), { name: 'support-contact', content }));
}

// @vitest-environment jsdom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import type { Failure } from '../../../client/api/failure.ts';
import { FailureMessage } from '../../../client/layout/FailureMessage.tsx';

afterEach(() => {
  cleanup();
  document.head.replaceChildren();
});

function shown(code: Failure['code']) {
  const supported = ['PROVIDER_UNAVAILABLE', 'PROVIDER_BAD_ANSWER', 'RATE_LIMITED'] as const;
  const { container } = render(<FailureMessage failure={{ code }} tooMany="" supported={supported} />);
  return container;
}

test.each(['PROVIDER_UNAVAILABLE', 'PROVIDER_BAD_ANSWER', 'RATE_LIMITED'] as const)(
  'after %s, with which it can help, the contact of the support is shown if the operator configured one',
  (code) => {
    expect(shown(code).textContent).toMatch(/Inténtalo de nuevo[^.]*\.$/);
    configure('Soporte: https://radio.example/ayuda');
    const [link] = shown(code).querySelectorAll('a');
    expect([link?.href, link?.target, link?.rel]).toEqual([
      'https://radio.example/ayuda',
      '_blank',
      'noreferrer',
    ]);
  },
);

test('after any other failure the contact of the support is not shown', () => {
  configure('soporte@radio.example');
  expect(shown('DATABASE_UNAVAILABLE').textContent).not.toContain('soporte');
});

test("the operator's support contact is shown as text, never as HTML", () => {
  configure('<img src=x onerror=alert(1)> a@radio.example "><script>alert(1)</script>');
  const message = shown('PROVIDER_UNAVAILABLE');
  expect(message.querySelectorAll('img, script')).toHaveLength(0);
  expect(message.textContent).toContain('<img src=x onerror=alert(1)>');
});

function configure(content: string): void {
  document.head.append(Object.assign(document.createElement('meta'), { name: 'support-contact', content }));
}

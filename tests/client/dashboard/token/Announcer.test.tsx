import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Announcer } from '../../../../client/dashboard/token/Announcer.tsx';
import type { TokenState } from '../../../../client/page/tokenState.ts';
import { TOKEN_LIFETIME_MS } from '../../../../shared/tokenLifetime.ts';

const active = (token: string): TokenState => ({
  kind: 'active',
  token,
  expiresAt: TOKEN_LIFETIME_MS,
  remainingMs: TOKEN_LIFETIME_MS,
});

test('two tokens within seconds are announced twice', () => {
  const { rerender } = render(<Announcer token={{ kind: 'none' }} latest={null} failure={undefined} />);
  const announced = (token: string) => {
    rerender(<Announcer token={active(token)} latest={token} failure={undefined} />);
    return screen.getByRole('status').firstChild;
  };
  const first = announced('uno');
  const second = announced('dos');
  expect(second?.textContent).toMatch(/^Token creado/);
  // A screen reader reads a text again only in another element.
  expect(second).not.toBe(first);
});

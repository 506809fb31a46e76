import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Announcer } from '../../../../client/dashboard/token/Announcer.tsx';
import { TOKEN_LIFETIME_MS } from '../../../../shared/tokenLifetime.ts';

test('two tokens within seconds are announced twice', () => {
  const expiresAt = Date.now() + TOKEN_LIFETIME_MS;
  const { rerender } = render(<Announcer token={null} failure={undefined} />);
  const announced = (token: string) => {
    rerender(<Announcer token={{ token, expiresAt }} failure={undefined} />);
    return screen.getByRole('status').firstChild;
  };
  const first = announced('uno');
  const second = announced('dos');
  expect(second?.textContent).toMatch(/^Token creado/);
  // A screen reader reads a text again only in another element.
  expect(second).not.toBe(first);
});

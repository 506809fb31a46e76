// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { App } from '../../../client/App.tsx';
import { localRecords } from '../../../client/session/localRecords.ts';
import { texts } from '../../../client/texts.ts';
import { fakeServer, WithApollo } from '../fakeServer.tsx';

fakeServer();

test('a sign-out in another tab is told although its first event comes last', async () => {
  vi.stubGlobal('scrollTo', vi.fn());
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  localRecords.keepAccount({ id: 'a1', company: 'Radio Demo' });
  render(<App />, { wrapper: WithApollo });
  await screen.findByText('Crear Token');
  localStorage.setItem('logout_pending', 'a1');
  localStorage.removeItem('account');
  fireEvent(window, new StorageEvent('storage', { key: 'logout_pending', newValue: 'a1' }));
  expect(await screen.findByText(texts.failures.SIGNED_OUT_ELSEWHERE)).toBeTruthy();
});

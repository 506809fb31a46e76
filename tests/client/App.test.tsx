import { fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { App } from '../../client/App.tsx';
import { Requests } from '../../client/Requests.tsx';
import { texts } from '../../client/texts.ts';
import { fakeServer } from './fakeServer.tsx';
import { storedRecords } from './storedRecords.ts';

const server = fakeServer();

beforeEach(async () => {
  vi.stubGlobal('scrollTo', vi.fn());
  vi.spyOn(console, 'warn').mockReturnValue();
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  window.history.replaceState(null, '', '/');
  storedRecords().keepAccount({ id: 'a1', company: 'Radio Demo' });
  const app = (
    <>
      <Requests />
      <App />
    </>
  );
  render(app, { wrapper: server.Wrapper });
  await screen.findByText('Crear Token');
});

const hears = (key: string, newValue: string | null) =>
  fireEvent(window, new StorageEvent('storage', { key, newValue }));

test('a sign-out in another tab is told although its first event comes last', async () => {
  expect(window.location.pathname).toBe('/dashboard');
  localStorage.setItem('logout_pending', 'a1');
  localStorage.removeItem('account');
  hears('logout_pending', 'a1');
  expect(await screen.findByText(texts.failures.SIGNED_OUT_ELSEWHERE)).toBeTruthy();
  expect(window.location.pathname).toBe('/');
});

test('a sign-out elsewhere is told by a page that comes back from the back/forward cache', async () => {
  localStorage.setItem('logout_pending', 'a1');
  localStorage.removeItem('account');
  fireEvent(window, new PageTransitionEvent('pageshow', { persisted: true }));
  expect(await screen.findByText(texts.failures.SIGNED_OUT_ELSEWHERE)).toBeTruthy();
});

test('a tab that was frozen while another signed out and in again can create tokens', async () => {
  const account = localStorage.getItem('account');
  hears('logout_pending', 'a1');
  hears('account', null);
  hears('account', account);
  fireEvent.click(screen.getByText('Crear Token'));
  await server.requested('CreateToken');
});

test('a tab whose records an extension deleted says at the next press that the session ended', async () => {
  localStorage.clear();
  fireEvent.click(screen.getByText('Crear Token'));
  expect(await screen.findByText(texts.failures.UNAUTHENTICATED)).toBeTruthy();
  expect(window.location.pathname).toBe('/');
});

test('a session that another tab found refused is told', async () => {
  localStorage.removeItem('account');
  hears('account', null);
  expect(await screen.findByText(texts.failures.UNAUTHENTICATED)).toBeTruthy();
});

test('while signed in, going back to the login screen’s address leads to the dashboard', () => {
  window.history.replaceState(null, '', '/');
  fireEvent(window, new PopStateEvent('popstate'));
  expect(window.location.pathname).toBe('/dashboard');
});

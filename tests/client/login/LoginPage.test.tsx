// @vitest-environment jsdom
import { ApolloProvider } from '@apollo/client/react';
import { act, cleanup, configure, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { apolloClient } from '../../../client/api/apolloClient.ts';
import { LoginPage } from '../../../client/login/LoginPage.tsx';
import { refused, stubServer } from '../fakeServer.ts';

configure({ asyncUtilTimeout: 60_000 });

let server: ReturnType<typeof stubServer>;

beforeEach(() => {
  server = stubServer();
  vi.stubGlobal('scrollTo', vi.fn());
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  document.head.innerHTML = '<meta name="support-contact" content="soporte@radio.example" />';
});

afterEach(() => {
  cleanup();
  document.head.replaceChildren();
  vi.unstubAllGlobals();
});

const openLogin = () =>
  render(
    <ApolloProvider client={apolloClient}>
      <LoginPage />
    </ApolloProvider>,
  );
const type = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const message = () => screen.getByRole('alert').textContent;

test('the message about a username’s limit goes when the username is edited', async () => {
  openLogin();
  type('Correo electrónico', 'demo@radio.example');
  type('Contraseña', 'otra-cosa');
  fireEvent.click(screen.getByRole('button', { name: 'iniciar sesión' }));
  const { answer } = await server.requested('Login');
  await act(async () => answer(refused('RATE_LIMITED', { retryAfterSeconds: 600 })));
  await waitFor(() => expect(message()).toContain('Demasiados intentos.'));
  type('Contraseña', 'otra-mas');
  expect(message()).toContain('soporte@radio.example');
  type('Correo electrónico', 'otra@radio.example');
  expect(message()).toBe('');
});

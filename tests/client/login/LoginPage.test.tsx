// @vitest-environment jsdom
import { ApolloProvider } from '@apollo/client/react';
import { act, cleanup, configure, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { apolloClient } from '../../../client/api/apolloClient.ts';
import { LoginPage } from '../../../client/login/LoginPage.tsx';
import { stubServer } from '../fakeServer.ts';

configure({ asyncUtilTimeout: 60_000 });

const CONTACT = 'soporte@radio.example';

let server: ReturnType<typeof stubServer>;

beforeEach(() => {
  server = stubServer();
  vi.stubGlobal('scrollTo', vi.fn());
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  const contact = { name: 'support-contact', content: CONTACT };
  document.head.append(Object.assign(document.createElement('meta'), contact));
});

afterEach(() => {
  cleanup();
  document.head.replaceChildren();
  vi.unstubAllGlobals();
});

const type = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const message = () => screen.getByRole('alert').textContent;

/** Signs in and is refused because of the username's limit. */
async function lockOut(): Promise<void> {
  render(
    <ApolloProvider client={apolloClient}>
      <LoginPage />
    </ApolloProvider>,
  );
  type('Correo electrónico', 'demo@radio.example');
  type('Contraseña', 'otra-cosa');
  fireEvent.click(screen.getByRole('button', { name: 'iniciar sesión' }));
  const extensions = { code: 'RATE_LIMITED', retryAfterSeconds: 600 };
  const { answer } = await server.requested('Login');
  await act(async () => answer({ data: null, errors: [{ message: 'x', extensions }] }));
  await waitFor(() => expect(message()).toContain('Demasiados intentos.'));
}

test('a partner who is locked out sees whom to ask', async () => {
  await lockOut();
  expect(message()).toContain(CONTACT);
});

test('the message about the limit of a username goes when the username is edited, not when the password is', async () => {
  await lockOut();
  type('Contraseña', 'otra-mas');
  expect(message()).toContain('Demasiados intentos.');
  type('Correo electrónico', 'otra@radio.example');
  expect(message()).toBe('');
});

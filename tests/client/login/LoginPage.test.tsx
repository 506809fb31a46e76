import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { LoginPage } from '../../../client/login/LoginPage.tsx';
import { fakeServer, refused } from '../fakeServer.tsx';

const server = fakeServer();

beforeEach(() => {
  vi.stubGlobal('scrollTo', vi.fn());
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  document.head.innerHTML = '<meta name="support-contact" content="soporte@radio.example" />';
});

const openLogin = () => render(<LoginPage />, { wrapper: server.Wrapper });
const username = () => screen.getByLabelText('Correo electrónico');
const password = () => screen.getByLabelText('Contraseña');
const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });
const message = () => screen.getByRole('alert').textContent;
const submit = () => fireEvent.click(screen.getByRole('button', { name: 'iniciar sesión' }));

function signIn(name: string, secret: string) {
  type(username(), name);
  type(password(), secret);
  submit();
}

const descriptionOf = (field: HTMLElement) =>
  (field.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent);

test('the fields take 32 characters', () => {
  openLogin();
  expect(username().getAttribute('inputmode')).toBe('email');
  for (const field of [username(), password()]) {
    expect(field).toHaveProperty('maxLength', 32);
    expect(field.getAttribute('autocomplete')).toBe('off');
  }
});

test('the footer has the copyright', () => {
  openLogin();
  expect(screen.getByRole('contentinfo').textContent).toBe('© 2023 Audio Oficial Premium');
});

test('nothing is sent until both fields are long enough', () => {
  openLogin();
  signIn('cinco', 'cinco');
  expect(descriptionOf(username())).toEqual(['Obligatorio', 'Debes ingresar un correo valido']);
  expect(descriptionOf(password())).toEqual(['Obligatorio', 'Debes ingresar una contraseña']);
  expect(username().getAttribute('aria-invalid')).toBe('true');
  expect(document.activeElement).toBe(username());
  signIn('seis66', 'cinco');
  expect(descriptionOf(username())).toEqual(['Obligatorio', '']);
  expect(document.activeElement).toBe(password());
  type(password(), 'seis66');
  expect(descriptionOf(password())).toEqual(['Obligatorio', '']);
  expect(server.requests).toEqual([]);
});

test('the error of a field is a live region', () => {
  openLogin();
  signIn('cinco', '');
  for (const error of ['Debes ingresar un correo valido', 'Debes ingresar una contraseña'])
    expect(screen.getByText(error).getAttribute('aria-live')).toBe('polite');
});

// A screen reader may not read what appears together with a part that was inert (seen in Firefox with Orca).
test('while a sign-in runs all fields and buttons are inert, but not the place of its failure', () => {
  openLogin();
  signIn('demo@radio.example', 'demo-premium');
  const controls = [...document.querySelectorAll('input, button')];
  expect(controls.filter((control) => !control.closest('[inert]'))).toEqual([]);
  expect(screen.getByRole('alert').closest('[inert]')).toBeNull();
});

test('what a password manager filled in without an event is sent', async () => {
  openLogin();
  Object.assign(username(), { value: 'demo@radio.example' });
  Object.assign(password(), { value: 'demo-premium' });
  submit();
  const { variables } = await server.requested('Login');
  expect(variables).toEqual({ username: 'demo@radio.example', password: 'demo-premium' });
});

test('the message about a missing network goes when the network is back', async () => {
  const onLine = vi.spyOn(Navigator.prototype, 'onLine', 'get').mockReturnValue(false);
  openLogin();
  signIn('demo@radio.example', 'demo-premium');
  const { fail } = await server.requested('Login');
  await act(async () => fail());
  await waitFor(() => expect(message()).toContain('No hay conexión a la red.'));
  onLine.mockReturnValue(true);
  fireEvent(window, new Event('online'));
  expect(message()).toBe('');
});

test('the message about a username’s limit goes when the username is edited', async () => {
  openLogin();
  signIn('demo@radio.example', 'otra-cosa');
  const { answer } = await server.requested('Login');
  await act(async () => answer(refused('RATE_LIMITED', { retryAfterSeconds: 600 })));
  await waitFor(() => expect(message()).toContain('Demasiados intentos.'));
  type(password(), 'otra-mas');
  expect(message()).toContain('soporte@radio.example');
  type(username(), 'otra@radio.example');
  expect(message()).toBe('');
});

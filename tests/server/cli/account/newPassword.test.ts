import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { generatePassword, readPassword } from '../../../../server/cli/account/newPassword.ts';
import { terminalInput } from '../terminalInput.ts';

test('a generated password holds 128 bits in characters without lookalikes', () => {
  const passwords = Array.from({ length: 400 }, generatePassword);
  const alphabet = new Set(passwords.join(''));
  for (const password of passwords) {
    expect(password.length).toBeLessThanOrEqual(32);
    expect(password.length * Math.log2(alphabet.size)).toBeGreaterThanOrEqual(128);
    expect(password).not.toMatch(/[^a-z0-9]|[0o1il]/);
  }
  expect(new Set(passwords).size).toBe(passwords.length);
});

const readFrom = (input: PassThrough) =>
  readPassword({ input, remarks: new PassThrough(), interruption: new AbortController() });

test.each([
  ['secreto\r\n', 'secreto'],
  ['secreto', 'secreto'],
  [' Ñandú 🎧\t\n', ' Ñandú 🎧\t'],
  ['\uFEFFsecreto\r\n', 'secreto'],
  ['\uFEFF\uFEFFsecreto', '\uFEFFsecreto'],
  ['\n', ''],
])('a piped password is exactly the line without its end: %j', async (piped, password) => {
  expect(await readFrom(new PassThrough().end(piped))).toBe(password);
});

test('a piped password is taken while the pipe stays open', async () => {
  const input = new PassThrough();
  input.write('sec');
  setImmediate(() => input.write('reto\n'));
  expect(await readFrom(input)).toBe('secreto');
});

test.each([
  ['nothing at all', '', 'no password on standard input'],
  ['a second line', 'secreto\nsecreto\n', 'more than one line'],
  ['other bytes than UTF-8', Buffer.from('secrét', 'latin1'), 'not UTF-8 text'],
  ['UTF-16 with its mark', Buffer.from('\uFEFFsecreto\r\n', 'utf16le'), 'not UTF-8 text but UTF-16'],
  ['UTF-16 without its mark', Buffer.from('secreto\r\n', 'utf16le'), 'not UTF-8 text but UTF-16'],
])('a piped password is refused when there is %s', async (_what, piped, message) => {
  await expect(readFrom(new PassThrough().end(piped))).rejects.toThrow(message);
});

test('a password that is typed on a terminal is never shown', async () => {
  const terminal = openTerminal();
  const password = readPassword(terminal);
  await terminal.typeAt('Password: ', 'secrexx\u007f\u007fto X\r');
  await terminal.typeAt('The same again: ', 'secreto X\r');
  expect(await password).toBe('secreto X');
  expect(terminal.shown()).toBe('Password: \nThe same again: \n');
  expect(terminal.input.isRaw).toBe(false);
});

test.each([
  ['the second one differs', 'secreto\rSecreto\r', 'the two passwords differ'],
  ['the input ends (Ctrl-D)', '\u0004', 'no password was typed'],
  ['Ctrl-C is pressed', 'secr\u0003', 'aborted'],
])('a password that is typed on a terminal is refused when %s', async (_what, keys, message) => {
  const terminal = openTerminal();
  const refusal = expect(readPassword(terminal)).rejects.toThrow(message);
  await terminal.typeAt('Password: ', keys);
  await refusal;
});

function openTerminal() {
  const input = terminalInput();
  const remarks = new PassThrough();
  let shown = '';
  remarks.on('data', (chunk) => {
    shown += chunk;
  });
  return {
    input,
    remarks,
    interruption: new AbortController(),
    shown: () => shown,
    async typeAt(question: string, keys: string) {
      await expect.poll(() => shown.endsWith(question)).toBe(true);
      input.write(keys);
    },
  };
}

import { randomInt } from 'node:crypto';
import { on } from 'node:events';
import { createInterface } from 'node:readline';
import { addAbortSignal, Writable } from 'node:stream';
import { OperatorError } from '../../errors.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { hashPassword } from '../../signIn/password.ts';
import { accountSchema, parseFields, typingRemarks } from '../arguments/fieldRules.ts';
import { utf8Input } from '../cliProcess.ts';
import type { CommandRuntime, Told } from '../commandContext.ts';

type PasswordInput = Pick<CommandRuntime, 'input' | 'remarks' | 'interruption'>;

/** Characters in one case without lookalikes (0 o, 1 i l), so that a password can be read out. */
const GENERATED_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const GENERATED_LENGTH = 26;

const LINE_MAX_BYTES = 1024;
const LINE_FEED = 0x0a;

export const PASSWORD_HELP = `
The password is one line of standard input, taken exactly as it is. On a
terminal it is asked for twice.`;

export type NewPassword = { password: string; passwordHash: string; isGenerated: boolean };

export async function choosePassword(isGenerated: boolean, source: PasswordInput): Promise<NewPassword> {
  const chosen = isGenerated ? generatePassword() : await readPassword(source);
  const { password } = parseFields(accountSchema.pick({ password: true }), { password: chosen });
  return { password, passwordHash: await hashPassword(password), isGenerated };
}

export function passwordTold(
  done: string,
  { password, isGenerated }: NewPassword,
  moreRemarks: (prisma: PrismaClient) => Promise<string[]> = async () => [],
): Told {
  if (isGenerated) {
    const secret = { text: password, name: 'password', remedy: 'choose another with set-password' };
    return { says: `${done}. The password`, secret, remarks: moreRemarks };
  }
  const typed = typingRemarks({ password }).map((said) => `The ${said}`);
  return { says: done, remarks: async (prisma) => [...typed, ...(await moreRemarks(prisma))] };
}

export function generatePassword(): string {
  const characters = Array.from({ length: GENERATED_LENGTH }, () =>
    GENERATED_ALPHABET.charAt(randomInt(GENERATED_ALPHABET.length)),
  );
  return characters.join('');
}

/**
 * Reads one line in UTF-8 from a pipe, or asks twice on a terminal without showing it. It does not wait for the end of a
 * pipe, so it misses a second line that comes later.
 */
export function readPassword(source: PasswordInput): Promise<string> {
  return source.input.isTTY ? askTwice(source) : readOneLine(source);
}

async function askTwice({ input, remarks, interruption }: PasswordInput): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input, output: unseen, terminal: true, historySize: 0 });
  // A terminal sends Ctrl-C as a key while readline listens.
  terminal.on('SIGINT', () => interruption.abort());
  const lines = on(terminal, 'line', { signal: interruption.signal, close: ['close'] });
  const ask = async (question: string): Promise<string> => {
    remarks.write(question);
    const { value, done } = await lines.next().finally(() => remarks.write('\n'));
    if (done) throw new OperatorError('no password was typed');
    return String(value[0]);
  };
  try {
    const first = await ask('Password: ');
    const second = await ask('The same again: ');
    if (first !== second) throw new OperatorError('the two passwords differ');
    return first;
  } finally {
    terminal.close();
  }
}

async function readOneLine({ input, interruption }: PasswordInput): Promise<string> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of addAbortSignal(interruption.signal, input)) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.includes(LINE_FEED) || bytes.length > LINE_MAX_BYTES) break;
  }
  if (bytes.length === 0)
    throw new OperatorError('no password on standard input: pipe one line in, or use --generate');
  const text = utf8Input(bytes);
  const end = text.indexOf('\n');
  if (end === -1) return text;
  if (end < text.length - 1) throw new OperatorError('standard input holds more than one line');
  return text.replace(/\r?\n$/, '');
}

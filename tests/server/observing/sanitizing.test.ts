import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { unavailableInWords } from '../../../server/database/databaseErrors.ts';
import { explainCommandError } from '../../../server/explainError.ts';
import {
  errorWithoutSecrets,
  escapeInvisibleInLines,
  reasonWithoutSecrets,
} from '../../../server/observing/sanitizing.ts';

const TIME_OUT = 'canceling statement due to statement timeout';
const ofPostgres = (code: string, message: string) =>
  Object.assign(new Error(message), { code, severity: 'ERROR' });
/** As Prisma throws it for a raw query. */
const ofPrisma = (originalCode: string, originalMessage: string) =>
  Object.assign(new Error(`Raw query failed: ${originalMessage}`), {
    name: 'PrismaClientKnownRequestError',
    code: 'P2010',
    meta: { driverAdapterError: { cause: { kind: 'postgres', originalCode, originalMessage } } },
  });

test.each<[string, () => unknown]>([
  ['a value sent to GraphQL', () => new GraphQLError('Int cannot represent non-integer value: "canario"')],
  ['the network', () => Object.assign(new Error('connect canario:5432'), { syscall: 'connect', code: 'EX' })],
  ['zod', () => z.literal('x').safeParse('canario', { reportInput: true }).error],
  ['an address', () => new Error('cannot GET https://canario:canario@x/?key=canario now')],
  ['a JWT', () => new Error('bad eyJjYW5hcmlv.canario.canario-_x')],
  ['a key', () => new Error('bad aop_tool_canario')],
  ['fields', () => Object.assign(new Error('x'), { config: { url: 'canario' }, input: 'canario' })],
  ['a cause', () => new Error('x', { cause: ofPostgres('22P02', 'canario') })],
])('no value in an error of %s is logged', (_from, make) => {
  expect(JSON.stringify(errorWithoutSecrets(make()))).not.toContain('canario');
});

test('a long message is cut off at 500 characters', () => {
  expect(errorWithoutSecrets(new Error('x'.repeat(501))).message).toBe('x'.repeat(500));
});

test("PostgreSQL's words stand beside its code", () => {
  expect(reasonWithoutSecrets(ofPostgres('57014', TIME_OUT))).toBe(`57014: ${TIME_OUT}`);
  expect(errorWithoutSecrets(ofPrisma('42P01', 'no such table')).message).toBe('P2010 42P01: no such table');
  expect(unavailableInWords(ofPrisma('57014', TIME_OUT))).toBe(`57014: ${TIME_OUT}`);
  expect(explainCommandError(ofPrisma('57014', TIME_OUT))).toContain(`(57014: ${TIME_OUT})`);
  expect(explainCommandError(ofPrisma('42P01', 'no such table'))).toContain('P2010 no such table');
});

test.each([
  ['22P02', 'invalid input syntax for type uuid: "canario"'],
  ['23505', 'duplicate key canario'],
  ['28P01', 'password authentication failed for user canario'],
  ['P0001', 'canario'],
  ['58P01', 'could not open file "canario": gone'],
  ['58P01', 'Datei »canario« fehlt'],
  ['58P01', 'le fichier « canario » manque'],
  ['57014', 'see postgresql://canario:canario@canario/canario'],
])('no value, name or address of a message with %s is told (%#)', (code, message) => {
  for (const error of [ofPostgres(code, message), ofPrisma(code, message)]) {
    const told = [
      errorWithoutSecrets(error).message,
      reasonWithoutSecrets(error),
      unavailableInWords(error),
      explainCommandError(error),
    ];
    expect(told.join()).not.toContain('canario');
    expect(told[0]).toContain(code);
  }
});

test('each line of a text shows its invisible characters', () => {
  expect(escapeInvisibleInLines('uno\u202e\ndos\u001b\r\ntres\u0000')).toBe(
    'uno\\u202e\ndos\\u001b\r\ntres\\u0000',
  );
});

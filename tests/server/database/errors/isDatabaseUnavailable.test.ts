import { expect, test } from 'vitest';
import { unavailableReason } from '../../../../server/database/errors/isDatabaseUnavailable.ts';

const failure = (fields: object, message = 'words') => Object.assign(new Error(message), fields);
/** An error of Prisma, which hides PostgreSQL's code and the adapter's name for it. */
const hidden = (cause: object) => failure({ code: 'P2010', meta: { driverAdapterError: { cause } } });

test.each<readonly [string, Error, string]>([
  ['a system code', failure({ code: 'ECONNRESET' }), 'ECONNRESET'],
  [
    'a failed connect in words of Prisma',
    failure({ code: 'EACCES' }, 'Invalid invocation:\n\n\nconnect EACCES /run/x/.s.PGSQL.5432'),
    'EACCES',
  ],
  ...['P1000', 'P1001', 'P1002', 'P1003', 'P1008', 'P1010', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037'].map(
    (code) => ["Prisma's own code", failure({ code }), code] as const,
  ),
  ['a message of pg', failure({}, 'timeout expired'), 'timeout expired'],
  ["the adapter's kind", hidden({ kind: 'ConnectionClosed' }), 'P1017'],
  [
    'the code of an error of COMMIT',
    failure({ name: 'DriverAdapterError', cause: { kind: 'postgres', originalCode: '57P01' } }),
    '57P01',
  ],
  ...['08006', '25006', '25P03', '25P04', '42501', '53100', '55000', '55P03', '57P03', '58030'].map(
    (code) =>
      ['a hidden code of PostgreSQL', hidden({ kind: 'postgres', originalCode: code }), code] as const,
  ),
])('%s makes the database unavailable (%#)', (_what, error, reason) => {
  expect(unavailableReason(error)).toBe(reason);
});

test.each([
  ['a unique violation', failure({ code: 'P2002' })],
  ['an error in a query', hidden({ kind: 'postgres', originalCode: '42601' })],
  ['an exception of a trigger', hidden({ kind: 'postgres', originalCode: 'P0001' })],
  ['a file that may not be read', failure({ code: 'EACCES' }, "EACCES: permission denied, open 'root.crt'")],
  ['another error', failure({})],
])('%s does not make the database unavailable', (_what, error) => {
  expect(unavailableReason(error)).toBeNull();
});

import { expect, test } from 'vitest';
import { newKey } from '../../../server/keys/key.ts';
import { clientHeaders } from '../../../server/observing/requestLog.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

test.each([
  ['a key after a name', `playout ${newKey('TOOL').slice(0, 20)}`],
  ['a JWT', 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbg'],
  ['a long text', 'x'.repeat(41)],
  ['a line end', 'playout\nrequest'],
])('%s is not logged as the name of a client', (_what, name) => {
  expect(clientHeaders({ 'apollographql-client-name': name })).toEqual({});
});

test.each([`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, `00-${TRACE}-00f067aa0ba902b7-01-more`])(
  'the traceparent %j is not logged',
  (traceparent) => {
    expect(clientHeaders({ traceparent })).toEqual({});
  },
);

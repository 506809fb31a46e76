import { afterEach, expect, test } from 'vitest';
import { localRecords, type TokenRecord } from '../../../client/session/localRecords.ts';

const NOW = Date.UTC(2026, 10, 20, 18);
const ACCOUNT = { id: 'a1', company: 'Radio Demo' };
const token = 'c2VydmVy+/aWQ9MQ==';

const store = (records: Record<string, string>) => Object.assign(localStorage, records);
const stored = () => ({ ...localStorage });
const readToken = () => localRecords.token(ACCOUNT.id);

afterEach(() => localStorage.clear());

test('the account record has exactly the fields of the contract', () => {
  localRecords.keepAccount(ACCOUNT);
  expect(stored()).toEqual({ account: '{"logged":true,"id":"a1","company":"Radio Demo"}' });
  expect(localRecords.account()).toEqual(ACCOUNT);
});

test.each([
  '',
  'null',
  '{"logged":false,"id":"a1","company":"Radio Demo"}',
  '{"logged":true,"company":"Radio Demo"}',
  '{"logged":true,"id":7,"company":"Radio Demo"}',
  '{"logged":true,"id":"a1","company":null}',
])('the account record %s signs nobody in', (account) => {
  store({ account });
  expect(localRecords.account()).toBeNull();
});

test('the token records have exactly the form of the contract, and a seal', () => {
  localRecords.keepToken({ token, expiresAt: NOW }, ACCOUNT.id);
  expect(stored()).toEqual({ token, token_expire: String(NOW), token_seal: expect.any(String) });
  expect(readToken()).toEqual({ token: { token, expiresAt: NOW }, seal: 'fits' });
});

test.each<[string, Record<string, string>]>([
  ['only an expiry', { token_expire: '0' }],
  ['only a token', { token }],
  ['a blank token', { token: ' ', token_expire: '0' }],
  ['control characters in the token', { token: 'a\nb', token_expire: '0' }],
  ['a word as expiry', { token, token_expire: 'NaN' }],
  ['an endless expiry', { token, token_expire: '9'.repeat(16) }],
])('token records with %s read as no token', (_, records) => {
  store(records);
  expect(readToken().token).toBeNull();
});

const SEALED = { token, expiresAt: NOW };
const torn: [what: string, change: () => void, seal: TokenRecord['seal']][] = [
  ['another token alone', () => store({ token: 'other' }), 'torn'],
  ['another expiry alone', () => store({ token_expire: '0' }), 'torn'],
  ['no seal', () => localStorage.removeItem('token_seal'), 'missing'],
  ['a seal of no form', () => store({ token_seal: '7' }), 'missing'],
  ['another account’s token', () => localRecords.keepToken(SEALED, 'a2'), 'othersToken'],
];

test.each(torn)('a record with %s is not whole', (_what, change, seal) => {
  localRecords.keepToken(SEALED, ACCOUNT.id);
  change();
  expect(readToken().seal).toBe(seal);
});

test('signing out deletes only the three keys of the contract', () => {
  store({ account: '{}', token: 'x', token_expire: '0', token_seal: '1 2', volume: '0.5' });
  localRecords.clear();
  expect(stored()).toEqual({ token_seal: '1 2', volume: '0.5' });
});

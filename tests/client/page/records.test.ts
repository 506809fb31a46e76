import { afterEach, expect, test } from 'vitest';
import type { Seal } from '../../../client/page/records.ts';
import { storedRecords } from '../storedRecords.ts';

const NOW = Date.UTC(2026, 10, 20, 18);
const ACCOUNT = { id: 'a1', company: 'Radio Demo' };
const token = 'c2VydmVy+/aWQ9MQ==';

const store = (records: Record<string, string>) => Object.assign(localStorage, records);
const stored = () => ({ ...localStorage });
const records = storedRecords();
const readToken = () => {
  const { token, seal } = records.read();
  return { token, seal };
};

afterEach(() => localStorage.clear());

test('the account record has exactly the fields of the contract', () => {
  records.keepAccount(ACCOUNT);
  expect(stored()).toEqual({ account: '{"logged":true,"id":"a1","company":"Radio Demo"}' });
  expect(records.read().account).toEqual(ACCOUNT);
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
  expect(records.read().account).toBeNull();
});

test('the token records have exactly the form of the contract, and a seal', () => {
  records.keepAccount(ACCOUNT);
  records.keepToken({ token, expiresAt: NOW });
  const { account: _, ...rest } = stored();
  expect(rest).toEqual({ token, token_expire: String(NOW), token_seal: expect.any(String) });
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
const torn: [what: string, change: () => void, seal: Seal][] = [
  ['another token alone', () => store({ token: 'other' }), 'torn'],
  ['another expiry alone', () => store({ token_expire: '0' }), 'torn'],
  ['no seal', () => localStorage.removeItem('token_seal'), 'missing'],
  ['a seal of no form', () => store({ token_seal: '7' }), 'missing'],
];

test.each(torn)('a record with %s is not whole', (_what, change, seal) => {
  records.keepAccount(ACCOUNT);
  records.keepToken(SEALED);
  change();
  expect(readToken().seal).toBe(seal);
});

test('a token that was made for another account reads as none', () => {
  records.keepAccount(ACCOUNT);
  records.keepToken(SEALED);
  store({ account: '{"logged":true,"id":"a2","company":"Otra Radio"}' });
  expect(readToken()).toEqual({ token: null, seal: 'fits' });
});

test('an account that is written after another one finds no token', () => {
  records.keepAccount(ACCOUNT);
  records.keepToken(SEALED);
  records.keepAccount({ id: 'a2', company: 'Otra Radio' });
  expect(stored()).toEqual({ account: expect.stringContaining('a2'), token_seal: expect.any(String) });
});

test('signing out deletes only the three keys of the contract', () => {
  records.keepAccount(ACCOUNT);
  store({ token: 'x', token_expire: '0', token_seal: '1 2', volume: '0.5' });
  records.clear();
  expect(stored()).toEqual({ token_seal: '1 2', volume: '0.5' });
});

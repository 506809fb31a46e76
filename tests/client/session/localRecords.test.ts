import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { localRecords, type StoredToken } from '../../../client/session/localRecords.ts';
import { browserStorage } from '../../../client/session/storage.ts';

const NOW = Date.UTC(2026, 10, 20, 18);
const ACCOUNT = { id: 'a1', company: 'Radio Demo' };
const token = 'c2VydmVy+/aWQ9MQ==';

const store = (records: Record<string, string>) => Object.assign(localStorage, records);
const stored = () => ({ ...localStorage });

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

test('the token records have exactly the form of the contract', () => {
  localRecords.keepToken(token, NOW);
  expect(stored()).toEqual({ token, token_expire: String(NOW) });
  expect(localRecords.token()).toEqual({ token, expiresAt: NOW });
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
  expect(localRecords.token()).toBeNull();
});

test('an expired token has the expiry 0', () => {
  localRecords.keepToken(token, NOW);
  localRecords.markTokenExpired(readToken());
  expect(stored()).toEqual({ token, token_expire: '0' });
  const onChange = vi.fn();
  onTestFinished(browserStorage.subscribe(onChange));
  localRecords.markTokenExpired(readToken());
  expect(onChange).not.toHaveBeenCalled();
});

test('a newer token is not marked as expired', () => {
  localRecords.keepToken(token, NOW);
  const expired = readToken();
  localRecords.keepToken(token, NOW + 1);
  localRecords.markTokenExpired(expired);
  expect(stored()).toEqual({ token, token_expire: String(NOW + 1) });
});

test('signing out deletes only the three keys of the contract', () => {
  store({ account: '{}', token: 'x', token_expire: '0', volume: '0.5' });
  localRecords.clear();
  expect(stored()).toEqual({ volume: '0.5' });
});

function readToken(): StoredToken {
  const read = localRecords.token();
  if (!read) throw new Error('no token is stored');
  return read;
}

import { afterEach, expect, test } from 'vitest';
import { type Records, writeRecords } from '../../../client/page/records.ts';
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
const changes: [what: string, change: () => void][] = [
  ['another token alone', () => store({ token: 'other' })],
  ['another expiry alone', () => store({ token_expire: '0' })],
  ['no seal', () => localStorage.removeItem('token_seal')],
  ['a seal of no form', () => store({ token_seal: '7' })],
];

test.each(changes)('a record with %s is not whole', (_what, change) => {
  records.keepAccount(ACCOUNT);
  records.keepToken(SEALED);
  change();
  expect(readToken().seal).toBe('differs');
});

test('a token that was made for another account reads as none', () => {
  records.keepAccount(ACCOUNT);
  records.keepToken(SEALED);
  store({ account: '{"logged":true,"id":"a2","company":"Otra Radio"}' });
  expect(readToken()).toEqual({ token: null, seal: 'fits' });
});

test('signing out deletes only the three keys of the contract', () => {
  records.keepAccount(ACCOUNT);
  store({ token: 'x', token_expire: '0', token_seal: '1 2', volume: '0.5' });
  records.clear();
  expect(stored()).toEqual({ token_seal: '1 2', volume: '0.5' });
});

test('an account beside a pending sign-out signs nobody in', () => {
  records.keepAccount(ACCOUNT);
  store({ logout_pending: 'a1' });
  expect(records.read().account).toBeNull();
});

const OTHER = { id: 'a2', company: 'Otra Radio' };
const NEWER = { token: 'newer', expiresAt: NOW + 60_000 };
const NOTHING: Records = {
  account: null,
  signingOut: null,
  token: null,
  seal: 'fits',
  ticked: [],
  soundIn: null,
};
const SIGNED_IN: Records = { ...NOTHING, account: ACCOUNT, token: SEALED };
const SIGNED_OUT: Records = { ...NOTHING, signingOut: { account: 'a1', session: 's1' } };

/** Writes the records and returns the keys that were written, in their order. */
function write(known: Records, wanted: Records): string[] {
  const keys: string[] = [];
  const storage = {
    getItem: (key: string) => localStorage.getItem(key),
    setItem(key: string, value: string) {
      keys.push(key);
      localStorage.setItem(key, value);
    },
    removeItem(key: string) {
      keys.push(key);
      localStorage.removeItem(key);
    },
  };
  writeRecords(storage, known, wanted);
  return keys;
}

/** Other tabs read between two writes. */
test.each<[rule: string, known: Records, wanted: Records, keys: string[]]>([
  [
    'the expiry of a new token comes before it',
    SIGNED_IN,
    { ...SIGNED_IN, token: NEWER },
    ['token_expire', 'token', 'token_seal'],
  ],
  [
    'a sign-out gives its session, then its account, before the account and the token are gone',
    SIGNED_IN,
    SIGNED_OUT,
    ['logout_session', 'logout_pending', 'account', 'token', 'token_expire'],
  ],
  [
    'a sign-in ends the sign-out before the account is there, and the session’s id is gone last',
    SIGNED_OUT,
    { ...NOTHING, account: OTHER },
    ['logout_pending', 'logout_session', 'account'],
  ],
  [
    'the token of one account is gone before another account is there',
    SIGNED_IN,
    { ...NOTHING, account: OTHER },
    ['token', 'token_expire', 'account'],
  ],
])('%s', (_rule, known, wanted, keys) => {
  write(NOTHING, known);
  expect(write(known, wanted)).toEqual(keys);
  expect(records.read()).toEqual(wanted);
});

test('an account that was left beside a sign-out is deleted before the sign-out is over', () => {
  write(NOTHING, SIGNED_OUT);
  store({ account: '{"logged":true,"id":"a1","company":"Radio Demo"}' });
  expect(write(SIGNED_OUT, NOTHING)).toEqual(['account', 'logout_pending', 'logout_session']);
});

test('no token is written without an account', () => {
  expect(write(NOTHING, { ...NOTHING, token: SEALED })).toEqual([]);
});

test('a token that was left without an account is deleted by the next sign-in', () => {
  store({ token: 'left', token_expire: String(NOW) });
  write(NOTHING, { ...NOTHING, account: ACCOUNT });
  expect(stored()).toEqual({ account: expect.any(String) });
});

test.each([
  ['signed in', SIGNED_IN],
  ['signed out', SIGNED_OUT],
  ['that knows of nothing', NOTHING],
])('a page %s leaves as it is what another tab wrote since, unless it changes it', (_who, known) => {
  const newer: Record<string, string> = {
    account: '{"logged":true,"id":"a2","company":"Otra Radio"}',
    token: 'newer',
    token_expire: '7',
    token_seal: '1 2',
    logout_pending: 'a2',
    logout_session: 's2',
    sound_in: 'page 2',
  };
  store(newer);
  write(known, { ...known, ticked: ['a1'] });
  expect(stored()).toEqual({ ...newer, create_token_on_loss: '["a1"]' });
});

test('a token that this page seals or marks as expired does not replace a newer one', () => {
  const newer = { token: 'newer', token_expire: '7' };
  store(newer);
  expect(write({ ...SIGNED_IN, seal: 'differs' }, SIGNED_IN)).toEqual(['token_seal']);
  write(SIGNED_IN, { ...SIGNED_IN, token: { token, expiresAt: 0 } });
  expect(stored()).toMatchObject({ token: 'newer' });
});

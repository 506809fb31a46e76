// @vitest-environment jsdom
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { localRecords, renewedAccount, type StoredToken } from '../../../client/session/localRecords.ts';
import { browserStorage } from '../../../client/session/storage.ts';
import { TOKEN_LIFETIME_MS } from '../../../shared/tokenLifetime.ts';

const NOW = Date.UTC(2026, 10, 20, 18);
const ACCOUNT = { id: 'a1', company: 'Radio Demo' };

function store(records: Record<string, string>): void {
  for (const [key, value] of Object.entries(records)) localStorage.setItem(key, value);
}

const stored = () => ({ ...localStorage });

afterEach(() => localStorage.clear());

describe('the account record', () => {
  test('is stored with exactly the fields logged, id and company', () => {
    localRecords.keepAccount(ACCOUNT);
    expect(stored()).toEqual({ account: '{"logged":true,"id":"a1","company":"Radio Demo"}' });
  });

  test('tells who is signed in when it is read back', () => {
    store({ account: '{"logged":true,"id":"a1","company":"Radio Demo"}' });
    expect(localRecords.account()).toEqual(ACCOUNT);
  });

  test.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['is broken JSON', '{"logged":true'],
    ['is null', 'null'],
    ['is no object', '"logged"'],
    ['is a list', '[true,"a1","Radio Demo"]'],
    ['is not logged', '{"logged":false,"id":"a1","company":"Radio Demo"}'],
    ['is logged in words', '{"logged":"true","id":"a1","company":"Radio Demo"}'],
    ['has no id', '{"logged":true,"company":"Radio Demo"}'],
    ['has an id of another type', '{"logged":true,"id":7,"company":"Radio Demo"}'],
    ['has no company', '{"logged":true,"id":"a1"}'],
  ])('signs nobody in when it %s', (_, account) => {
    if (account !== undefined) store({ account });
    expect(localRecords.account()).toBeNull();
  });
});

describe('the token records', () => {
  const token = 'c2VydmVy+/aWQ9MQ==';

  test('are stored as the bare token and the expiry in epoch milliseconds', () => {
    localRecords.keepToken(token, NOW + TOKEN_LIFETIME_MS);
    expect(stored()).toEqual({ token, token_expire: String(NOW + 1_200_000) });
  });

  test.each([
    ['an expiry of 0, which means expired', '0', 0],
    ['an expiry in the past', String(NOW - 1), NOW - 1],
    ['an expiry in the future', String(NOW + TOKEN_LIFETIME_MS), NOW + TOKEN_LIFETIME_MS],
    ['an expiry much too far in the future', '9'.repeat(15), 999_999_999_999_999],
  ])('can be read back with %s', (_, token_expire, expiresAt) => {
    store({ token, token_expire });
    expect(localRecords.token()).toEqual({ token, expiresAt });
  });

  test.each([
    ['there is none', {}],
    ['there is only an expiry', { token_expire: '0' }],
    ['there is only a token', { token }],
    ['the token is blank', { token: ' ', token_expire: '0' }],
    ['the token has control characters', { token: 'a\nb', token_expire: '0' }],
    ['the expiry is a word', { token, token_expire: 'NaN' }],
    ['the expiry is empty', { token, token_expire: '' }],
    ['the expiry is negative', { token, token_expire: '-1' }],
    ['the expiry is a fraction', { token, token_expire: `${NOW}.5` }],
    ['the expiry is in scientific notation', { token, token_expire: '1e12' }],
    ['the expiry is an endless number', { token, token_expire: '9'.repeat(400) }],
  ])('are read as no token when %s', (_, kept) => {
    store(kept);
    expect(localRecords.token()).toBeNull();
  });

  test('are read as the same object until they change', () => {
    store({ token, token_expire: String(NOW + 1_000) });
    const first = localRecords.token();
    expect(localRecords.token()).toBe(first);
    localRecords.keepToken(token, NOW + 2_000);
    expect(localRecords.token()).not.toBe(first);
  });

  test('of an expired token keep the token and have their expiry reset to 0, only once', () => {
    store({ token, token_expire: String(NOW) });
    localRecords.markTokenExpired(readToken());
    expect(stored()).toEqual({ token, token_expire: '0' });
    const onChange = vi.fn();
    onTestFinished(browserStorage.subscribe(onChange));
    localRecords.markTokenExpired(readToken());
    expect(onChange).not.toHaveBeenCalled();
  });

  test('are not marked as expired if a newer token has replaced them', () => {
    store({ token, token_expire: String(NOW) });
    const expired = readToken();
    store({ token_expire: String(NOW + 1) });
    localRecords.markTokenExpired(expired);
    expect(stored()).toEqual({ token, token_expire: String(NOW + 1) });
  });

  function readToken(): StoredToken {
    const read = localRecords.token();
    if (!read) throw new Error('no token is stored');
    return read;
  }
});

test('signing out deletes the three keys of the contract and no other', () => {
  store({ account: '{}', token: 'x', token_expire: '0', volume: '0.5' });
  localRecords.clear();
  expect(stored()).toEqual({ volume: '0.5' });
});

describe('the account record and the server’s session', () => {
  const OURS = { id: 'a1', company: 'Radio Uno' };

  test('the record takes the company’s new name from the session, and nothing else', () => {
    const session = { id: 'a1', company: 'Radio Uno FM', expiry: '2026-11-21T00:00:00.000Z' };
    expect(renewedAccount(OURS, session)).toEqual({ id: 'a1', company: 'Radio Uno FM' });
  });

  test.each([
    ['the company has the same name', OURS, OURS],
    ['the session is of another account', OURS, { id: 'a2', company: 'Otra Radio' }],
    ['there is no session', OURS, null],
    ['there is no answer yet', OURS, undefined],
    ['nobody is signed in here', null, OURS],
  ])('the record does not change when %s', (_name, ours, session) => {
    expect(renewedAccount(ours, session)).toBeNull();
  });
});

// @vitest-environment jsdom
import { describe, expect, test, vi } from 'vitest';
import { type LocalRecords, openLocalRecords, renewedAccount } from '../../../client/session/records.ts';
import { observedStorage } from '../../../client/session/storage.ts';
import { TOKEN_LIFETIME_MS } from '../../../shared/tokenLifetime.ts';
import { FakeStorage } from './fakeStorage.ts';

const NOW = Date.UTC(2026, 10, 20, 18);
const ACCOUNT = { id: 'a1', company: 'Radio Demo' };

function recordsIn(storage: FakeStorage): LocalRecords {
  return openLocalRecords(observedStorage(() => storage));
}

function recordsOver(kept: Record<string, string>): LocalRecords {
  return recordsIn(new FakeStorage(kept));
}

describe('the account record', () => {
  test('is written as exactly logged, id and company', () => {
    const storage = new FakeStorage();
    recordsIn(storage).signIn(ACCOUNT);
    expect([...storage.kept]).toEqual([['account', '{"logged":true,"id":"a1","company":"Radio Demo"}']]);
  });

  test('read back is who is signed in', () => {
    const account = '{"logged":true,"id":"a1","company":"Radio Demo"}';
    expect(recordsOver({ account }).account()).toEqual(ACCOUNT);
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
    expect(recordsOver(account === undefined ? {} : { account }).account()).toBeNull();
  });
});

describe('the token records', () => {
  const token = 'c2VydmVy+/aWQ9MQ==';

  test('are written as the bare token and decimal epoch milliseconds', () => {
    const storage = new FakeStorage();
    recordsIn(storage).keepToken(token, NOW + TOKEN_LIFETIME_MS);
    expect(Object.fromEntries(storage.kept)).toEqual({ token, token_expire: String(NOW + 1_200_000) });
  });

  test.each([
    ['0 for one that ran out', '0', 0],
    ['a past instant', String(NOW - 1), NOW - 1],
    ['a coming instant', String(NOW + TOKEN_LIFETIME_MS), NOW + TOKEN_LIFETIME_MS],
    ['an instant that nobody believes', '9'.repeat(15), 999_999_999_999_999],
  ])('read back %s', (_, token_expire, expiresAt) => {
    expect(recordsOver({ token, token_expire }).token()).toEqual({ token, expiresAt });
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
    ['the expiry has no end', { token, token_expire: '9'.repeat(400) }],
  ])('read as none when %s', (_, kept) => {
    expect(recordsOver(kept).token()).toBeNull();
  });

  test('read as the same object until they change', () => {
    const records = recordsOver({ token, token_expire: String(NOW + 1_000) });
    const first = records.token();
    expect(records.token()).toBe(first);
    records.keepToken(token, NOW + 2_000);
    expect(records.token()).not.toBe(first);
  });

  test('that ran out have their expiry reset to 0 and keep the token', () => {
    const storage = new FakeStorage({ token, token_expire: String(NOW) });
    recordsIn(storage).markTokenExpired({ token, expiresAt: NOW });
    expect(Object.fromEntries(storage.kept)).toEqual({ token, token_expire: '0' });
  });

  test('are left alone when a newer token took their place meanwhile', () => {
    const token_expire = String(NOW + 1);
    const storage = new FakeStorage({ token, token_expire });
    recordsIn(storage).markTokenExpired({ token, expiresAt: NOW });
    expect(storage.kept.get('token_expire')).toBe(token_expire);
  });

  test('are reset once: nothing is told when they were', () => {
    const records = recordsOver({ token, token_expire: '0' });
    const onChange = vi.fn();
    records.subscribe(onChange);
    records.markTokenExpired({ token, expiresAt: 0 });
    expect(onChange).not.toHaveBeenCalled();
  });
});

test('signing out clears the three keys and no other', () => {
  const storage = new FakeStorage({ account: '{}', token: 'x', token_expire: '0', volume: '0.5' });
  recordsIn(storage).signOut();
  expect([...storage.kept.keys()]).toEqual(['volume']);
});

describe('a company’s new name', () => {
  const OURS = { id: 'a1', company: 'Radio Uno' };

  test('a company that the server knows by another name is renewed, id kept, and nothing else of the answer', () => {
    const session = { id: 'a1', company: 'Radio Uno FM', expiry: '2026-11-21T00:00:00.000Z' };
    expect(renewedAccount(OURS, session)).toEqual({ id: 'a1', company: 'Radio Uno FM' });
  });

  test.each([
    ['the same name', OURS, OURS],
    ['another account', OURS, { id: 'a2', company: 'Otra Radio' }],
    ['no session', OURS, null],
    ['no answer yet', OURS, undefined],
    ['nobody signed in here', null, OURS],
  ])('nothing is renewed with %s', (_name, ours, session) => {
    expect(renewedAccount(ours, session)).toBeNull();
  });
});

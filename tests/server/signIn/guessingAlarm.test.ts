import { expect, test, vi } from 'vitest';
import { createGuessingAlarm } from '../../../server/signIn/guessingAlarm.ts';
import { SIGN_IN_WINDOW_MS } from '../../../server/signIn/signInLimits.ts';

test('an account whose sign-ins fail from eleven networks is reported once a window', () => {
  let nowMs = Date.parse('2026-11-20T21:00:00Z');
  const reported: string[] = [];
  const onManyNetworks = (account: string) => reported.push(account);
  const { onFailure } = createGuessingAlarm({ clock: () => new Date(nowMs), onManyNetworks });
  const failFrom = (networks: number, account = 'uno') => {
    for (let network = 0; network < networks; network += 1) onFailure(account, `192.0.2.${network}`);
  };
  failFrom(10);
  failFrom(10, 'dos');
  expect(reported).toEqual([]);
  failFrom(11);
  nowMs += SIGN_IN_WINDOW_MS - 1;
  failFrom(30);
  expect(reported).toEqual(['uno']);
  nowMs += 1;
  failFrom(10);
  expect(reported).toEqual(['uno']);
  failFrom(11);
  expect(reported).toEqual(['uno', 'uno']);
});

test('an account is reported again after the clock was set back', () => {
  let nowMs = Date.parse('2030-01-01T00:00:00Z');
  const onManyNetworks = vi.fn();
  const { onFailure } = createGuessingAlarm({ clock: () => new Date(nowMs), onManyNetworks });
  const failFrom = (networks: number) => {
    for (let network = 0; network < networks; network += 1) onFailure('uno', `192.0.2.${network}`);
  };
  failFrom(11);
  nowMs = Date.parse('2026-11-20T21:00:00Z');
  failFrom(11);
  expect(onManyNetworks).toHaveBeenCalledTimes(2);
});

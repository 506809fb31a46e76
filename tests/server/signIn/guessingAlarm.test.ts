import { expect, test, vi } from 'vitest';
import { createGuessingAlarm } from '../../../server/signIn/guessingAlarm.ts';
import { SIGN_IN_WINDOW_MS } from '../../../server/signIn/signInLimits.ts';

const START_MS = Date.parse('2026-11-20T21:00:00Z');

function startAlarm() {
  let nowMs = START_MS;
  const onManyNetworks = vi.fn();
  const { onFailure } = createGuessingAlarm({ clock: () => new Date(nowMs), onManyNetworks });
  return {
    onManyNetworks,
    onFailure,
    at: (afterMs: number) => {
      nowMs = START_MS + afterMs;
    },
    failFrom(networks: number, account = 'uno') {
      for (let network = 0; network < networks; network += 1) onFailure(account, `192.0.2.${network}`);
    },
  };
}

test('an account whose sign-ins fail from eleven networks is reported once a window', () => {
  const { onManyNetworks, failFrom, at } = startAlarm();
  failFrom(10);
  failFrom(10);
  failFrom(10, 'dos');
  expect(onManyNetworks).not.toHaveBeenCalled();
  failFrom(11);
  expect(onManyNetworks.mock.calls).toEqual([['uno']]);
  at(SIGN_IN_WINDOW_MS - 1);
  failFrom(30);
  expect(onManyNetworks).toHaveBeenCalledTimes(1);
  at(SIGN_IN_WINDOW_MS);
  failFrom(30);
  expect(onManyNetworks.mock.calls).toEqual([['uno'], ['uno']]);
});

test('failures of an earlier window do not count', () => {
  const { onManyNetworks, onFailure, failFrom, at } = startAlarm();
  failFrom(10);
  at(SIGN_IN_WINDOW_MS);
  onFailure('uno', '198.51.100.1');
  expect(onManyNetworks).not.toHaveBeenCalled();
});

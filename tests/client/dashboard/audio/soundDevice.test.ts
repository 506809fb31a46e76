import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSoundDevice, type SoundDevice } from '../../../../client/dashboard/audio/soundDevice.ts';

const ONE_DEVICE = [{ kind: 'audiooutput' }];

let listed: { kind: string }[];
let returned: number;
let device: SoundDevice;

beforeEach(() => {
  vi.useFakeTimers();
  listed = ONE_DEVICE;
  returned = 0;
  vi.stubGlobal('navigator', { userAgent: 'Chrome', mediaDevices: { enumerateDevices: async () => listed } });
  device = createSoundDevice(() => {
    returned += 1;
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Returns whether the device was missing, looked at after each second. */
async function missingFor(seconds: number): Promise<boolean[]> {
  const seen: boolean[] = [];
  for (let second = 0; second < seconds; second += 1) {
    device.check();
    await vi.advanceTimersByTimeAsync(1_000);
    seen.push(device.isMissing());
  }
  return seen;
}

test('a device is missing until it was listed twice again', async () => {
  await missingFor(2);
  listed = [];
  expect(await missingFor(2)).toEqual([true, true]);
  listed = ONE_DEVICE;
  expect([await missingFor(3), returned]).toEqual([[true, false, false], 1]);
});

test('no device is missing in a browser that lists none', async () => {
  listed = [{ kind: 'audioinput' }];
  expect([await missingFor(5), returned]).toEqual([Array(5).fill(false), 0]);
});

test('no device is missing where a page may not ask', async () => {
  vi.stubGlobal('navigator', { userAgent: 'Chrome' });
  expect(await missingFor(2)).toEqual([false, false]);
  device.failed();
  await vi.advanceTimersByTimeAsync(0);
  expect(device.isMissing()).toBe(false);
});

test('a page that opened without a device plays anew once there is one', async () => {
  listed = [];
  await missingFor(2);
  listed = ONE_DEVICE;
  expect([await missingFor(2), returned]).toEqual([[true, false], 1]);
});

test('a device that fails is missing until a look finds it, and does not count as back', async () => {
  await missingFor(1);
  device.failed();
  expect(device.isMissing()).toBe(true);
  await vi.advanceTimersByTimeAsync(0);
  expect([device.isMissing(), returned]).toEqual([false, 0]);
});

test('a look that the browser refuses says nothing about the device', async () => {
  await missingFor(1);
  vi.stubGlobal('navigator', { userAgent: 'Chrome' });
  await missingFor(1);
  vi.stubGlobal('navigator', { userAgent: 'Chrome', mediaDevices: { enumerateDevices: async () => listed } });
  expect([await missingFor(2), returned]).toEqual([[false, false], 0]);
});

test('a device that was missing before a pause may be there after it', async () => {
  await missingFor(1);
  listed = [];
  await missingFor(1);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(device.isMissing()).toBe(false);
});

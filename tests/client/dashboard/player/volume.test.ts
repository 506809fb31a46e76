import { expect, test } from 'vitest';
import {
  audibleLevel,
  parseVolume,
  type Volume,
  volumeText,
  withMuteToggled,
} from '../../../../client/dashboard/player/volume.ts';

const FULL: Volume = { level: 100, muted: false };

test.each([
  ['0', { level: 0, muted: false }],
  ['70', { level: 70, muted: false }],
  ['100', FULL],
  ['35 muted', { level: 35, muted: true }],
])('the stored volume %s is read back as it was', (text, volume) => {
  expect(parseVolume(text)).toEqual(volume);
  expect(volumeText(volume)).toBe(text);
});

test.each([null, '', ' ', '101', '-5', '0.5', '1e1', 'NaN', 'muted', '70 Muted', '70\n', '{"level":70}'])(
  'the invalid stored volume %j is read as full volume',
  (text) => {
    expect(parseVolume(text)).toEqual(FULL);
  },
);

test('muting silences the sound and keeps the level', () => {
  const muted = withMuteToggled({ level: 70, muted: false });
  expect(muted).toEqual({ level: 70, muted: true });
  expect(audibleLevel(muted)).toBe(0);
  expect(withMuteToggled(muted)).toEqual({ level: 70, muted: false });
});

test.each([
  { level: 0, muted: false },
  { level: 0, muted: true },
])('unmuting a volume of 0 sets it to 50: %j', (volume) => {
  expect(withMuteToggled(volume)).toEqual({ level: 50, muted: false });
});

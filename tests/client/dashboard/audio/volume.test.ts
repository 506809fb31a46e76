import { expect, test } from 'vitest';
import {
  parseVolume,
  toggleMute,
  type Volume,
  volumeText,
} from '../../../../client/dashboard/audio/volume.ts';

test.each<[string, Volume]>([
  ['70', { level: 70, muted: false }],
  ['35 muted', { level: 35, muted: true }],
])('the stored volume %s is read back as it was', (text, volume) => {
  expect(parseVolume(text)).toEqual(volume);
  expect(volumeText(volume)).toBe(text);
});

test.each([null, '', '101', '-5', '0.5', '70 Muted'])('the stored volume %j is read as full', (text) => {
  expect(parseVolume(text)).toEqual({ level: 100, muted: false });
});

test('unmuting a volume of 0 sets it to 50', () => {
  expect(toggleMute({ level: 0, muted: true })).toEqual({ level: 50, muted: false });
});
